"""The redactor's rules one by one: what goes, what stays, and what stands for it."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from parity_runs import RECORDINGS

from parity.redaction import Known, redact, sweep
from parity.wire import PROVIDER_TO_BRIDGE, JsonError, LaneLine, decode, open_cell

KEY = "gh" + "p_" + "Ab1" * 12
HOME = "/".join(("", "home", "marlene"))
KNOWN = Known(home=HOME, workspace=HOME + "/code/web", user="marlene", host="kestrel42")


def lines(*texts: str) -> list[LaneLine]:
    return [LaneLine(0, 1, n, PROVIDER_TO_BRIDGE, text) for n, text in enumerate(texts)]


def redacted(*texts: str, known: Known = KNOWN) -> list[str]:
    return [line.line for line in redact(lines(*texts), known)[0]]


def said(text: str, known: Known = KNOWN) -> str:
    """A text after redaction, in a message and in bare noise."""
    (line,) = redacted(json.dumps({"method": "m", "params": {"text": text}}), known=known)
    return str(json.loads(line)["params"]["text"])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{HOME}/a", "/home/user/a"),
        (f"{HOME}/code/web/src/x.py", "/home/user/workspace/src/x.py"),
        (f"file://{HOME}/code/web", "file:///home/user/workspace"),
        ("%2Fhome%2Fmarlene%2Fcode%2Fweb%2Fa", "%2Fhome%2Fuser%2Fworkspace%2Fa"),
        ("%2fhome%2fmarlene", "%2fhome%2fuser"),
        ("projects/-home-marlene-code-web/s.jsonl", "projects/-home-user-workspace/s.jsonl"),
        ("/ho" + "me/zoe.smith/x and /ho" + "me/zoe.", "/home/user/x and /home/user."),
        ("/Us" + "ers/zoe/x", "/Users/user/x"),
        ("C:\\Us" + "ers\\Zoe Smith\\x", "C:\\Users\\user\\x"),
        ("/ro" + "ot/.cache", "/home/user/.cache"),
        ("a/ho" + "me/zoe/x", "a/home/user/x"),
        ("\x1b[34mmarlene\x1b[0m on KESTREL42", "\x1b[34muser\x1b[0m on host"),
        ("marlene_old, Marlene's, xmarlene", "user_old, user's, xmarlene"),
        (
            "git@github.com noreply@vendor.io user@example.com",
            "git@github.com noreply@vendor.io user@example.com",
        ),
        ("logo@2x.png", "logo@2x.png"),
        (f"token {KEY}, again {KEY}", "token redacted-token-1, again redacted-token-1"),
        ("Authorization: Bearer abc123def456", "Authorization: Bearer redacted-token-1"),
        ("the bearer authentication scheme", "the bearer authentication scheme"),
        ("TOKEN=$TOKEN key=value token=<your token>", "TOKEN=$TOKEN key=value token=<your token>"),
        ("sk-this-is-no-key-but-a-name", "sk-this-is-no-key-but-a-name"),
        ("deploy@box:~/x$ ls", "user@host:~/x$ ls"),
    ],
)
def test_a_text_says(before: str, after: str) -> None:
    assert said(before) == after
    assert said(after) == after


@pytest.mark.parametrize("name", ["root", "user", "ubuntu", "bob", "agent", "12345"])
def test_a_common_or_short_user_name_goes_only_where_it_is_a_name(name: str) -> None:
    known = Known(home=f"/home/{name}", user=name, host="localhost")
    before = f"{name} wrote /home/{name}/x as {name}@box"
    assert said(before, known) == f"{name} wrote /home/user/x as user@box"
    (line,) = redacted(json.dumps({"username": name, "role": name}), known=known)
    assert json.loads(line) == {"username": "user", "role": name}


def test_paths_of_a_mac_go_with_and_without_private() -> None:
    known = Known(workspace="/private/var/folders/zz/q1w2/T/parity-x/ws")
    assert said("in /private/var/folders/zz/q1w2/T/parity-x/ws/a", known) == "in /home/user/workspace/a"
    assert said("in /var/folders/zz/q1w2/T/parity-x/ws/a", known) == "in /home/user/workspace/a"


def test_a_line_that_holds_nothing_stays_byte_for_byte() -> None:
    odd = '{ "b" : 1.50,"a":[1e3, 12345678901234567890],"b":2,"s":"\\u00e9\\/\\ud83d" }'
    assert redacted(odd, "no json {", "") == [odd, "no json {", ""]


def test_only_what_goes_is_written_anew() -> None:
    (line,) = redacted('{ "n" : 1.50, "t": "é KEY", "u":"\\u00e9 KEY" }'.replace("KEY", KEY))
    assert line == '{ "n" : 1.50, "t": "é redacted-token-1", "u":"\\u00e9 redacted-token-1" }'


def test_pretty_printed_json_in_a_string_keeps_its_layout() -> None:
    inner = json.dumps({"token": KEY, "n": [1, 2]}, indent=2)
    assert said(inner) == inner.replace(KEY, "redacted-token-1")


def test_the_same_secret_has_the_same_placeholder_in_every_disguise() -> None:
    texts = [
        {"apiKey": KEY},
        {"t": KEY},
        {"t": json.dumps({"x": json.dumps([KEY])})},
        {"b": list(KEY.encode())},
    ]
    made = "\n".join(redacted(*map(json.dumps, texts)))
    assert made.count("redacted-token-1") == 3
    assert json.loads(made.split("\n")[3])["b"] == list(b"redacted-token-1")
    assert "redacted-token-2" not in made


def test_ids_that_match_messages_survive() -> None:
    message = {
        "id": 7,
        "sessionId": "01a22e53-2c27-7642-b8d6-e91890818e4d",
        "toolCallId": "call_Ab12Cd34Ef56",
    }
    text = json.dumps({"jsonrpc": "2.0", "method": "session/update", **message})
    assert redacted(text) == [text]


def test_an_id_of_an_installation_becomes_the_same_id_everywhere() -> None:
    real = "5f2b7c1e-1111-4222-8333-123456789abc"
    first, second = redacted(json.dumps({"installationId": real}), json.dumps({"text": f"of {real}"}))
    assert json.loads(first)["installationId"] == "00000000-0000-4000-8000-000000000001"
    assert json.loads(second)["text"] == "of 00000000-0000-4000-8000-000000000001"


def test_an_environment_keeps_what_is_harmless() -> None:
    env = [
        {"name": "TERM", "value": "xterm"},
        {"name": "STAGE", "value": "blue"},
        {"name": "CI", "value": "true"},
    ]
    (line,) = redacted(json.dumps({"env": env, "environment": {"LANG": "C", "X": "y"}}))
    made = json.loads(line)
    assert [item["value"] for item in made["env"]] == ["xterm", "redacted-env-1", "true"]
    assert made["environment"] == {"LANG": "C", "X": "redacted-env-2"}


def test_a_catalogue_keeps_a_few_entries_and_the_current_one() -> None:
    models = [{"modelId": f"m{n}", "description": "d" * 500} for n in range(40)]
    (line,) = redacted(json.dumps({"currentModelId": "m33", "availableModels": models}))
    made = json.loads(line)["availableModels"]
    assert [entry["modelId"] for entry in made] == ["m0", "m1", "m2", "m3", "m4", "m5", "m33"]
    assert made[0]["description"] == "d" * 60 + "…"


def test_a_list_a_tool_returned_is_no_catalogue() -> None:
    text = json.dumps(
        {"rawOutput": {"models": [f"m{n}" for n in range(40)]}, "entries": list(range(300, 340))}
    )
    assert redacted(text) == [text]


def test_terminal_output_that_grows_still_grows() -> None:
    whole = f"$ env\nK={KEY}\ndone\n"
    snapshots = [whole[:18], whole[:30], whole[:44], whole]
    made = [json.loads(line)["result"]["output"] for line in redacted(*(_output(text) for text in snapshots))]
    assert made[-1] == "$ env\nK=redacted-token-1\ndone\n"
    for before, after in pairwise(made):
        assert after.startswith(before)
    assert KEY[:12] not in "".join(made)


def _output(text: str) -> str:
    return json.dumps({"id": 1, "result": {"output": text, "truncated": False}})


def test_pieces_of_a_secret_each_stay_a_message_that_says_something() -> None:
    parts = ["the key ", KEY[:3], KEY[3:5], KEY[5:30], KEY[30:] + " is it"]
    made = [json.loads(line)["params"]["delta"] for line in redacted(*map(_delta, parts))]
    assert "".join(made) == "the key redacted-token-1 is it"
    assert all(made)


def _delta(text: str) -> str:
    params = {"threadId": "t", "itemId": "i", "delta": text}
    return json.dumps({"method": "item/agentMessage/delta", "params": params})


def test_a_name_at_the_end_of_one_message_is_found_before_the_next_one() -> None:
    between = json.dumps({"method": "turn/plan/updated", "params": {}})
    made = redacted(_delta("asked marlene"), between, _delta("Done."))
    assert [json.loads(line)["params"].get("delta") for line in made] == ["asked user", None, "Done."]


def test_numbers_go_on_above_those_a_recording_already_holds() -> None:
    assert redacted(json.dumps({"a": "redacted-token-4", "b": KEY})) == [
        json.dumps({"a": "redacted-token-4", "b": "redacted-token-5"})
    ]


# -- properties ------------------------------------------------------------------------------------------

_SEEDS = st.sampled_from(
    [
        KEY,
        HOME,
        HOME + "/code/web",
        "marlene",
        "kestrel42",
        "zoe@mailbox.io",
        "/tmp/build-a1b2c3",
        '{"env":{"A":"b"}}',
        '"',
        "\\",
        "\\n",
        "{",
        "Authorization: Basic ",
        "token=",
        "%2F",
        "redacted-token-1",
        "é",
        "\ud83d",
        "cwd",
    ]
)
_TEXTS = st.lists(_SEEDS | st.text(max_size=8), max_size=5).map("".join)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    _TEXTS | st.integers() | st.none() | st.binary(max_size=20).map(list),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "env", "apiKey", "delta", "data", "name", "value"]) | _TEXTS, inner
        )
    ),
    max_leaves=8,
)
_NESTED = _VALUES | _VALUES.map(json.dumps) | _VALUES.map(lambda value: json.dumps(json.dumps(value)))
_LINES = st.lists(_NESTED.map(json.dumps) | _TEXTS | _TEXTS.map(_delta), max_size=5)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(_LINES)
def test_redacting_twice_is_redacting_once_and_json_stays_json(texts: list[str]) -> None:
    once, _ = redact(lines(*texts), KNOWN)
    assert redact(once, KNOWN) == (once, {})
    for before, after in zip(texts, once, strict=True):
        assert is_json(before) == is_json(after.line)


def is_json(text: str) -> bool:
    try:
        decode(text)
    except JsonError:
        return False
    return True


def test_a_large_file_is_swept_in_slices_and_its_lines_keep_their_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = tmp_path / "acp-grok" / "turn-tools"
    shutil.copytree(RECORDINGS / "acp-grok" / "turn-tools", cell)
    lane = cell / "provider→bridge.ndjson"
    lines = lane.read_text("utf-8").split("\n")
    for number in (0, 40, 79):
        lines[number] = lines[number].replace("jsonrpc", "/home/" + "someone/x", 1)
    lane.write_text("\n".join(lines), "utf-8")
    whole = {(found.line, found.kind) for found in sweep(open_cell(cell))}
    monkeypatch.setattr("parity.redaction.sweeping._SLICE", 3000)
    monkeypatch.setattr("parity.redaction.sweeping._OVERLAP", 2)
    sliced = sweep(open_cell(cell))
    assert {(found.line, found.kind) for found in sliced} == whole
    assert {1, 41, 80} <= {found.line for found in sliced}
    assert len(sliced) == len(whole)
