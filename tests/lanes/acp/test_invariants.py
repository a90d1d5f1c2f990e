"""What can never happen, whatever an agent says in whatever order."""

import itertools
import json
from typing import Any

import pytest
from acp_frames import AcpRun, Json, message, prompted, tool_call, update
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from parity.grammar.rows import walk

quick = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow],
)
PROFILES = ["generic", "cursor", "grok", "gemini", "qwen", "opencode", "hermes", "claude", "codex"]

Script = list[Json]
"""All frames of one call, in order."""

running = st.sampled_from([None, "pending", "in_progress", "vendor_busy"])
ending = st.sampled_from(["completed", "failed"])
shown = st.sampled_from(["", "a", "ab", "ab\n", "b", "abc"])
codes = st.integers(0, 9)
raw_outputs = st.one_of(
    st.builds(lambda code: {"exitCode": code}, codes),
    st.builds(lambda code, out: {"exit_code": code, "stdout": out, "stderr": ""}, codes, shown),
    shown,
    st.none(),
)
KINDS = [None, "execute", "read", "edit", "fetch", "other", "teleport"]
INPUTS = [None, {}, {"command": "make"}, {"path": "a"}, {"url": "https://a.b"}, {"x": [1, None]}]
about = {
    "kind": st.sampled_from(KINDS),
    "title": st.sampled_from(["Job", "make", None]),
    "raw_input": st.sampled_from(INPUTS),
    "locations": st.sampled_from([[], ["a"], ["/b"]]),
}
results = {"raw_output": raw_outputs, "content": shown}


def _script(
    call_id: str, begins: bool, first: Json, middle: Script, last: Json | None, late: Json | None
) -> Script:
    opening = tool_call(call_id, **first) if begins else update(call_id, **first)
    frames = [opening, *(update(call_id, **fields) for fields in middle)]
    if last is not None:
        frames.append(update(call_id, **last))
        if late is not None:
            frames.append(update(call_id, **{**late, "status": "in_progress"}))
    return frames


def scripts(call_id: str, kind: str | None = None) -> st.SearchStrategy[Script]:
    """A call with any number of updates, closed or not; of one kind throughout where that is given."""
    optional = {**about, **results}
    fixed: dict[str, st.SearchStrategy[Any]] = {}
    if kind is not None:
        fixed = {"kind": st.just(kind)}
        del optional["kind"]
    news = st.fixed_dictionaries({"status": running, **fixed}, optional=optional)
    close = st.fixed_dictionaries({"status": ending}, optional=results)
    return st.builds(
        _script,
        st.just(call_id),
        st.booleans(),
        news,
        st.lists(news, max_size=3),
        st.none() | close,
        st.none() | news,
    )


one_call = scripts("t0")
one_command = scripts("t0", "execute")
several = st.lists(st.integers(0, 1), min_size=2, max_size=3).flatmap(
    lambda calls: st.tuples(*[scripts(f"t{number}") for number in range(len(calls))])
)


def run_turn(frames: Script, profile: str | None = None) -> AcpRun:
    return prompted(profile).feed(*frames).answer_prompt()


def terminal_codes(frames: Script) -> set[int]:
    found: set[int] = set()
    for frame in frames:
        raw = frame.get("rawOutput")
        if frame.get("status") in ("completed", "failed") and isinstance(raw, dict):
            found |= {raw[name] for name in ("exitCode", "exit_code") if name in raw}
    return found


def by_call(run: AcpRun) -> dict[str, Json]:
    """The row of each call without the ordinal of its item, which order decides."""
    rows = [row for top in run.rows for row in walk(top) if "providerItemId" in row]
    return {row["providerItemId"]: {k: v for k, v in row.items() if k != "id"} for row in rows}


@quick
@given(calls=several, data=st.data())
def test_interleaving_independent_calls_never_changes_their_rows(
    calls: list[Script], data: st.DataObject
) -> None:
    order = data.draw(st.permutations([index for index, script in enumerate(calls) for _ in script]))
    queues = [iter(script) for script in calls]
    mixed = run_turn([next(queues[index]) for index in order])
    straight = run_turn([frame for script in calls for frame in script])
    assert by_call(mixed) == by_call(straight)


@quick
@given(frames=one_call, times=st.lists(st.integers(1, 3), min_size=10, max_size=10))
def test_repeating_an_update_that_ends_nothing_never_changes_a_row(frames: Script, times: list[int]) -> None:
    repeated: list[Json] = []
    for frame, count in zip(frames, times, strict=False):
        repeated += [frame] * (1 if frame.get("status") in ("completed", "failed") else count)
    assert run_turn(repeated).rows == run_turn(frames).rows


@quick
@given(calls=several, profile=st.sampled_from(PROFILES))
def test_a_call_never_has_two_rows(calls: list[Script], profile: str) -> None:
    run = run_turn([frame for script in calls for frame in script], profile)
    ids = [row["providerItemId"] for row in run.all_rows if "providerItemId" in row]
    assert sorted(ids) == [f"t{number}" for number in range(len(calls))]


@quick
@given(frames=one_command)
@example(
    frames=_script(
        "t0", True, {"raw_output": {"exit_code": 0}, "kind": "execute"}, [], {"status": "completed"}, None
    )
)
def test_a_row_never_has_a_code_that_no_closing_frame_reported(frames: Script) -> None:
    code = run_turn(frames).call("t0").get("exitCode")
    assert code is None or code in terminal_codes(frames)


@quick
@given(frames=one_command | one_call, profile=st.sampled_from(PROFILES))
def test_the_final_output_never_differs_from_what_was_streamed(frames: Script, profile: str) -> None:
    run = run_turn(frames, profile)
    streamed = ""
    for text, reset in run.output_deltas():
        streamed = text if reset else streamed + text
    row = run.call("t0")
    if row["kind"] == "command":
        assert row.get("output", "") == streamed


@quick
@given(frames=one_call, profile=st.sampled_from(PROFILES))
def test_a_settled_row_never_changes_its_status(frames: Script, profile: str) -> None:
    run = run_turn(frames, profile)
    settled = [
        event["item"]["status"] for event in run.item_events("t0") if event["type"] == "item/completed"
    ]
    assert len(set(settled)) == 1


@quick
@given(calls=several, profile=st.sampled_from(PROFILES))
def test_a_well_formed_turn_never_breaks_a_rule_or_loses_a_frame(calls: list[Script], profile: str) -> None:
    run = run_turn([frame for script in calls for frame in script], profile)
    assert run.drops == {}
    assert run.unhandled == []
    assert run.bridge.noise == 0


@quick
@given(pieces=st.lists(st.text(max_size=6), max_size=8), message_id=st.sampled_from([None, "m1"]))
def test_the_text_of_a_message_is_never_anything_but_its_chunks(
    pieces: list[str], message_id: str | None
) -> None:
    fields = {} if message_id is None else {"message_id": message_id}
    run = run_turn([message(piece, **fields) for piece in pieces])
    whole = "".join(pieces)
    assert run.texts == ([whole] if whole else [])
    assert "".join(event["delta"] for event in run.events_of("item/agentMessage/delta")) == whole


@quick
@given(
    script=st.lists(
        st.tuples(st.sampled_from(["m1", "m2", "m3"]), st.text("ab ", min_size=1, max_size=4)), max_size=8
    )
)
def test_a_message_never_mixes_two_ids_and_no_text_is_lost(script: list[tuple[str, str]]) -> None:
    run = run_turn([message(words, message_id=message_id) for message_id, words in script])
    runs: list[list[str]] = []
    for message_id, words in script:
        if runs and runs[-1][0] == message_id:
            runs[-1][1] += words
        else:
            runs.append([message_id, words])
    assert run.texts == [words for _, words in runs]


SESSION_FRAMES: list[Json] = [
    message("naïve 🦜 \u2028 text"),
    tool_call("t1", kind="execute", title="make", raw_input={"command": "make"}),
    update("t1", status="in_progress", content="é\r\n"),
    update("t1", status="completed", content="é\r\nb\n", raw_output={"exitCode": 2}),
    message("done"),
]


def whole_session() -> tuple[AcpRun, bytes]:
    run = prompted()
    answer = {
        "jsonrpc": "2.0",
        "id": run.sent_of("session/prompt")[0]["id"],
        "result": {"stopReason": "end_turn"},
    }
    messages = [run.wire(frame) for frame in SESSION_FRAMES] + [answer]
    lines = [json.dumps(message, ensure_ascii=False).encode() for message in messages]
    lines.insert(2, b"Welcome! not json")
    return run, b"\r\n".join(lines)


@quick
@given(cuts=st.lists(st.integers(0, 1500), max_size=12))
def test_how_the_bytes_are_cut_never_changes_the_rows(cuts: list[int]) -> None:
    run, data = whole_session()
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    run.stream(*[data[start:end] for start, end in itertools.pairwise(edges)])
    plain, data = whole_session()
    plain.stream(data)
    assert run.rows == plain.rows
    assert run.noise == plain.noise == 1
    assert run.call("t1")["exitCode"] == 2


def test_bytes_that_come_one_by_one_are_the_same_session() -> None:
    run, data = whole_session()
    run.stream(*[data[at : at + 1] for at in range(len(data))])
    assert run.texts == ["naïve 🦜 \u2028 text", "done"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
field_names = st.sampled_from(
    [
        "toolCallId",
        "title",
        "kind",
        "status",
        "content",
        "locations",
        "rawInput",
        "rawOutput",
        "_meta",
        "entries",
        "name",
        "messageId",
        "used",
    ]
)
update_kinds = st.sampled_from(
    ["tool_call", "tool_call_update", "plan", "agent_message_chunk", "usage_update", "session_info_update"]
)


@pytest.mark.parametrize("profile", PROFILES)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    updates=st.lists(
        st.tuples(update_kinds, st.dictionaries(field_names, json_values, max_size=5)), max_size=4
    )
)
def test_malformed_updates_never_break_the_session(profile: str, updates: list[tuple[str, Json]]) -> None:
    run = prompted(profile)
    for kind, fields in updates:
        run.feed({"toolCallId": "t1", **fields, "sessionUpdate": kind})
    run.feed(message("still here", message_id="last")).answer_prompt()
    assert run.texts[-1] == "still here"
    assert run.turn["status"] == "completed"
    assert run.drops == {}
