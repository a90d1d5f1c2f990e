"""Cells on disk: opened, found, created."""

from pathlib import Path

import pytest

from parity.wire import (
    BRIDGE_TO_RUNTIME,
    LANES,
    PINS,
    PROVIDER_TO_BRIDGE,
    RUNTIME_TO_BRIDGE,
    Cell,
    InputError,
    LaneLine,
    Manifest,
    cell_keys,
    create_cell,
    find_cells,
    lane_file_name,
    load_manifest,
    open_cell,
)


def entry(seq: float, lane: str = PROVIDER_TO_BRIDGE, line: str = "{}") -> LaneLine:
    return LaneLine(ts=0, run=1, seq=seq, dir=lane, line=line)


def made(root: Path, provider: str = "acp-grok", cell: str = "turn-tools") -> Cell:
    manifest = Manifest(provider=provider, cell=cell)
    return create_cell(root, manifest, {PROVIDER_TO_BRIDGE: [entry(1)]})


def files_under(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def refusal_of_opening(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        open_cell(path)
    return str(caught.value)


def test_an_opened_cell_has_the_names_of_its_manifest(tmp_path: Path) -> None:
    elsewhere = made(tmp_path).path.rename(tmp_path / "copy")
    cell = open_cell(elsewhere)
    assert (cell.provider, cell.name, cell.key) == (
        "acp-grok",
        "turn-tools",
        "acp-grok/turn-tools",
    )


def test_a_lane_without_a_file_is_empty(tmp_path: Path) -> None:
    assert list(made(tmp_path).lane(RUNTIME_TO_BRIDGE)) == []


def test_one_lane_is_read_by_itself(tmp_path: Path) -> None:
    assert list(made(tmp_path).lane(PROVIDER_TO_BRIDGE)) == [entry(1)]


def test_an_unknown_lane_is_a_programming_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown lane"):
        made(tmp_path).lane("agent→client")


def test_replaced_surrogates_of_the_last_pass_are_counted(tmp_path: Path) -> None:
    cell = made(tmp_path)
    raw = r'{"ts":0,"run":1,"seq":1,"dir":"provider→bridge","line":"\ud83d \udfff"}'
    cell.lane_path(PROVIDER_TO_BRIDGE).write_text(raw + "\n", "utf-8")
    for _ in range(2):
        assert [line.line for line in cell.lines()] == ["\ufffd \ufffd"]
    assert cell.replaced_surrogates == 2


@pytest.mark.parametrize(("layer", "file"), PINS.items())
def test_a_pin_is_found_by_layer_and_by_file_name(tmp_path: Path, layer: str, file: str) -> None:
    cell = made(tmp_path)
    assert cell.pin(layer) == cell.pin(file) == cell.path / file


def test_an_unknown_pin_is_a_programming_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown pin"):
        made(tmp_path).pin("grammar")


def test_pins_and_other_files_beside_the_lanes_are_tolerated(tmp_path: Path) -> None:
    path = made(tmp_path).path
    for name in (*PINS.values(), "README.md", "notes.txt"):
        (path / name).write_text("x")
    assert list(open_cell(path).lines()) == [entry(1)]


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    assert refusal_of_opening(tmp_path / "gone").startswith(f"{tmp_path / 'gone'}: does not exist; ")


def test_a_file_is_no_cell(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    assert "cannot be read" in refusal_of_opening(tmp_path / "a")


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    assert "empty cell directory" in refusal_of_opening(tmp_path)


def test_an_unknown_lane_file_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    path = made(tmp_path).path
    (path / "agent→client.ndjson").write_text("")
    message = refusal_of_opening(path)
    assert message.startswith(f"{path / 'agent→client.ndjson'}: not a file of a recording; ")
    assert all(lane_file_name(lane) in message for lane in LANES)


def test_a_cell_without_a_manifest_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path).path
    (path / "manifest.json").unlink()
    assert refusal_of_opening(path).startswith(f"{path / 'manifest.json'}: missing; ")


def test_a_cell_without_a_line_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path).path
    (path / lane_file_name(PROVIDER_TO_BRIDGE)).write_text("")
    assert refusal_of_opening(path).startswith(f"{path}: no lane has a line; ")


def test_cells_are_found_sorted(tmp_path: Path) -> None:
    for provider, cell in [("codex", "plan"), ("acp-grok", "turn-tools"), ("acp-grok", "plan")]:
        made(tmp_path, provider, cell)
    assert [cell.key for cell in find_cells(tmp_path)] == [
        "acp-grok/plan",
        "acp-grok/turn-tools",
        "codex/plan",
    ]


def test_cells_are_filtered_by_provider_and_cell(tmp_path: Path) -> None:
    for provider, cell in [("codex", "plan"), ("acp-grok", "turn-tools"), ("acp-grok", "plan")]:
        made(tmp_path, provider, cell)
    assert [c.key for c in find_cells(tmp_path, provider="acp-grok", cell="plan")] == ["acp-grok/plan"]
    assert [c.key for c in find_cells(tmp_path, cell="plan")] == ["acp-grok/plan", "codex/plan"]


def test_a_found_cell_has_the_names_of_its_folders(tmp_path: Path) -> None:
    made(tmp_path).path.rename(tmp_path / "acp-grok" / "copy")
    assert [cell.key for cell in find_cells(tmp_path)] == ["acp-grok/copy"]


def test_cells_that_guard_a_mended_fault_are_found_among_the_others(tmp_path: Path) -> None:
    made(tmp_path, "codex", "plan")
    made(tmp_path / "regressions", "codex", "late-part")
    made(tmp_path / "regressions", "acp-demo", "twice")
    assert [cell.key for cell in find_cells(tmp_path)] == ["acp-demo/twice", "codex/late-part", "codex/plan"]
    assert [cell.key for cell in find_cells(tmp_path, "codex", "late-part")] == ["codex/late-part"]


def test_a_name_in_both_places_is_refused(tmp_path: Path) -> None:
    made(tmp_path, "codex", "plan")
    made(tmp_path / "regressions", "codex", "plan")
    with pytest.raises(InputError, match="same name"):
        find_cells(tmp_path)


def test_loose_files_and_hidden_folders_are_passed_over(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / "row-counts.json").write_text("{}")
    (tmp_path / "acp-grok" / "README.md").write_text("")
    (tmp_path / ".git").mkdir()
    (tmp_path / "acp-grok" / ".turn-tools.1.tmp").mkdir()
    assert [cell.key for cell in find_cells(tmp_path)] == ["acp-grok/turn-tools"]


def test_the_keys_of_cells_are_told_without_opening_one(tmp_path: Path) -> None:
    made(tmp_path, "codex", "plan")
    made(tmp_path / "regressions", "codex", "late-part")
    assert cell_keys(tmp_path) == {cell.key for cell in find_cells(tmp_path)}
    (tmp_path / "codex" / "broken").mkdir()
    assert cell_keys(tmp_path) == {"codex/broken", "codex/late-part", "codex/plan"}


def test_a_broken_cell_outside_the_filter_does_not_matter(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / "acp-grok" / "broken").mkdir()
    assert len(find_cells(tmp_path, cell="turn-tools")) == 1


@pytest.mark.parametrize(
    ("provider", "cell", "message"),
    [
        ("acp-grog", None, "no provider named 'acp-grog'; did you mean acp-grok?"),
        ("zzz", None, "no provider named 'zzz'; there are acp-grok"),
        (None, "turn-tool", "no cell named 'turn-tool'; did you mean turn-tools?"),
        ("acp-grok", "zzz", "no cell named 'zzz'; there are turn-tools"),
    ],
)
def test_a_filter_that_matches_nothing_is_refused_with_close_names(
    tmp_path: Path, provider: str | None, cell: str | None, message: str
) -> None:
    made(tmp_path)
    with pytest.raises(InputError) as caught:
        find_cells(tmp_path, provider, cell)
    assert str(caught.value).endswith(message)


def test_a_missing_root_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="gone: does not exist"):
        find_cells(tmp_path / "gone")


def test_a_root_without_cells_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no cells"):
        find_cells(tmp_path)


def test_an_empty_cell_folder_is_refused(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / "acp-grok" / "plan").mkdir()
    with pytest.raises(InputError, match="plan: empty cell directory"):
        find_cells(tmp_path)


def test_a_folder_with_a_bad_name_is_refused(tmp_path: Path) -> None:
    made(tmp_path).path.rename(tmp_path / "acp-grok" / "turn tools")
    with pytest.raises(InputError, match="cell name 'turn tools' cannot be used"):
        find_cells(tmp_path)


def test_a_created_cell_holds_its_lanes_and_counts_them(tmp_path: Path) -> None:
    lanes = {
        PROVIDER_TO_BRIDGE: [entry(1), entry(3)],
        BRIDGE_TO_RUNTIME: [entry(2, BRIDGE_TO_RUNTIME)],
    }
    cell = create_cell(tmp_path, Manifest(provider="p", cell="c"), lanes)
    assert [line.seq for line in cell.lines()] == [1, 2, 3]
    manifest = load_manifest(cell.path / "manifest.json")
    assert manifest.lines == {BRIDGE_TO_RUNTIME: 1, PROVIDER_TO_BRIDGE: 2}


def test_an_existing_cell_is_refused_and_untouched(tmp_path: Path) -> None:
    cell = made(tmp_path)
    lanes = {PROVIDER_TO_BRIDGE: [entry(9)]}
    with pytest.raises(InputError, match="turn-tools: the cell exists; "):
        create_cell(tmp_path, cell.manifest, lanes)
    assert list(cell.lines()) == [entry(1)]


def test_an_existing_cell_is_replaced_whole_on_request(tmp_path: Path) -> None:
    cell = made(tmp_path)
    cell.pin("rows").write_text("")
    create_cell(tmp_path, cell.manifest, {PROVIDER_TO_BRIDGE: [entry(9)]}, replace=True)
    assert list(cell.lines()) == [entry(9)]
    assert files_under(tmp_path / "acp-grok") == [
        "turn-tools",
        "turn-tools/manifest.json",
        "turn-tools/provider→bridge.ndjson",
    ]


def test_what_a_killed_writer_of_the_cell_left_goes_with_the_next(tmp_path: Path) -> None:
    for name in (left := ".turn-tools.0123abcd.tmp", of_another := ".plan.0123abcd.tmp"):
        (tmp_path / "acp-grok" / name).mkdir(parents=True)
    made(tmp_path)
    assert not (tmp_path / "acp-grok" / left).exists()
    assert (tmp_path / "acp-grok" / of_another).exists()


def test_lines_that_could_not_be_read_back_leave_nothing(tmp_path: Path) -> None:
    lanes = {PROVIDER_TO_BRIDGE: [entry(2), entry(1)]}
    with pytest.raises(InputError, match="goes backwards") as caught:
        create_cell(tmp_path / "recordings", Manifest(provider="p", cell="c"), lanes)
    place = tmp_path / "recordings" / "p" / "c" / lane_file_name(PROVIDER_TO_BRIDGE)
    assert str(caught.value).startswith(f"{place}:2: ")
    assert files_under(tmp_path) == []


def test_lines_that_could_not_be_read_back_keep_the_old_cell(tmp_path: Path) -> None:
    cell = made(tmp_path)
    before = files_under(tmp_path)
    lanes = {PROVIDER_TO_BRIDGE: [entry(1, BRIDGE_TO_RUNTIME)]}
    with pytest.raises(InputError, match="dir is"):
        create_cell(tmp_path, cell.manifest, lanes, replace=True)
    assert (files_under(tmp_path), list(cell.lines())) == (before, [entry(1)])


def test_a_cell_without_lines_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no lane has a line"):
        create_cell(tmp_path, Manifest(provider="p", cell="c"), {})
    assert files_under(tmp_path) == []


@pytest.mark.parametrize(("provider", "cell"), [("..", "c"), ("p", "../c"), ("p", "a/b")])
def test_a_bad_name_is_refused_and_nothing_written(tmp_path: Path, provider: str, cell: str) -> None:
    with pytest.raises(InputError, match="cannot be used"):
        create_cell(tmp_path, Manifest(provider=provider, cell=cell), {})
    assert files_under(tmp_path) == []


def test_a_root_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "root").write_text("a file")
    with pytest.raises(InputError, match="cannot be written"):
        made(tmp_path / "root")
