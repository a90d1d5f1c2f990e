"""Messages of a peer, the official Python SDK: what its builders make, and the golden messages it ships.

The builders come with the installed package. The golden messages are only in its source archive, which the
`live` test fetches; every file of it must be known here, so a new one is noticed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import acp
import acp.helpers
import pytest
from acp_frames import OPTIONS, SESSION, AcpRun, prompted, tool_call, update

Json = dict[str, Any]

RESOURCE = acp.resource_block(acp.embedded_text_resource("file:///home/dev/app/a.py", "print(1)"))
BLOB = acp.resource_block(acp.embedded_blob_resource("file:///home/dev/app/a.bin", "AAEC"))
BLOCKS = [
    acp.text_block("hello"),
    acp.image_block("iVBORw0K", "image/png"),
    acp.audio_block("UklGRg", "audio/wav"),
    acp.resource_link_block("a.py", "file:///home/dev/app/a.py"),
    RESOURCE,
    BLOB,
]
CONTENT = [
    *(acp.tool_content(block) for block in BLOCKS),
    acp.tool_diff_content("/home/dev/app/a.py", "new", "old"),
    acp.tool_diff_content("/home/dev/app/b.py", "new"),
    acp.tool_terminal_ref("terminal-1"),
]
UPDATES = [
    *(acp.update_agent_message(block) for block in BLOCKS),
    *(acp.update_agent_thought(block) for block in BLOCKS),
    *(acp.update_user_message(block) for block in BLOCKS),
    acp.update_plan([acp.plan_entry("look"), acp.plan_entry("mend", priority="high", status="completed")]),
    acp.start_tool_call("mine", "Run", kind="execute", status="pending", raw_input={"command": "ls"}),
    acp.start_read_tool_call("mine", "Read", "/home/dev/app/a.py"),
    acp.start_edit_tool_call("mine", "Edit", "/home/dev/app/a.py", "new"),
    acp.update_tool_call("mine", status="in_progress", content=CONTENT),
    acp.update_tool_call("mine", status="completed", raw_output={"exitCode": 0}),
    acp.helpers.update_current_mode("plan"),
    acp.helpers.update_available_commands([]),
]


def as_wire(model: Any) -> Json:
    """What the SDK writes for one of its models."""
    found: Json = json.loads(model.model_dump_json(by_alias=True, exclude_none=True))
    return found


@pytest.mark.parametrize(
    "message", [as_wire(made) for made in UPDATES], ids=lambda made: made["sessionUpdate"]
)
def test_what_the_builders_make_is_handled(message: Json) -> None:
    run = taken_as_update(message)
    assert not run.unhandled
    assert run.turn["status"] == "completed"


@pytest.mark.parametrize("block", [as_wire(made) for made in CONTENT], ids=lambda made: made["type"])
def test_tool_content_of_the_builders_is_handled(block: Json) -> None:
    run = taken_as_tool_content(block)
    assert not run.unhandled
    assert run.call("mine")["status"] == "completed"


@pytest.mark.live
def test_every_golden_message_of_the_source_archive_is_taken(tmp_path: Path) -> None:
    golden = golden_messages(tmp_path)
    assert len(golden) >= 36
    unknown = [name for name in golden if not taker_of(name)]
    assert not unknown
    for name, message in golden.items():
        taker = taker_of(name)
        assert taker is not None
        run = taker(message)
        assert run.noise == 0, name
        assert not run.unhandled, name
        assert not run.drops, name


def golden_messages(folder: Path) -> dict[str, Json]:
    """The golden messages of the installed version's source archive, by name."""
    name = f"agent-client-protocol=={version('agent-client-protocol')}"
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", name]
    subprocess.run([*command, "-d", str(folder)], check=True)
    found: dict[str, Json] = {}
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        for member in archive.getmembers():
            path = Path(member.name)
            if path.parent.name == "golden" and path.suffix == ".json":
                file = archive.extractfile(member)
                assert file is not None
                found[path.stem] = json.loads(file.read())
    return found


# -- how a message of each sort is taken -------------------------------------------------------------------


def taken_as_update(message: Json) -> AcpRun:
    return prompted().feed(message).answer_prompt()


def taken_as_tool_content(block: Json) -> AcpRun:
    run = prompted().feed(tool_call("mine"))
    return run.feed(update("mine", status="completed", content=[block])).answer_prompt()


def _as_block(block: Json) -> AcpRun:
    chunk = {"sessionUpdate": "agent_message_chunk", "content": block}
    run = AcpRun()
    run.runtime("turn/start", threadId="thread-a", input=[block])
    return run.feed(chunk).answer_prompt()


def _as_permission(params: Json) -> AcpRun:
    params = {**params, "sessionId": SESSION}
    run = prompted().feed({"method": "session/request_permission", "id": 7, "params": params})
    run.answer("allowed")
    assert run.responses(7) == [
        {"jsonrpc": "2.0", "id": 7, "result": {"outcome": {"outcome": "selected", "optionId": "allow-once"}}}
    ]
    return run.answer_prompt()


def _as_outcome(outcome: Json) -> AcpRun:
    """What we answer for the same decision is what the peer would write."""
    run = prompted().feed(
        {
            "method": "session/request_permission",
            "id": 7,
            "params": {"toolCall": {"toolCallId": "mine"}, "options": OPTIONS},
        }
    )
    chosen = outcome.get("outcome", outcome)
    chosen = chosen if isinstance(chosen, dict) else outcome
    run.answer("cancelled" if chosen["outcome"] == "cancelled" else "allowed")
    ours = run.responses(7)[0]["result"]["outcome"]
    assert ours.keys() == chosen.keys()
    assert ours["outcome"] == chosen["outcome"]
    return run.answer_prompt()


def _as_file_request(params: Json) -> AcpRun:
    method = "fs/write_text_file" if "content" in params else "fs/read_text_file"
    params = {**params, "sessionId": SESSION}
    run = prompted().feed({"method": method, "id": 7, "params": params})
    assert [(call.method, call.params) for call in run.hosts] == [(method, params)]
    return run.answer_prompt()


def _as_file_answer(result: Json) -> AcpRun:
    run = prompted().feed({"method": "fs/read_text_file", "id": 7, "params": {"path": "/home/dev/app/a"}})
    run.host_result(result)
    assert run.responses(7) == [{"jsonrpc": "2.0", "id": 7, "result": result}]
    return run.answer_prompt()


def _as_initialized(result: Json) -> AcpRun:
    run = AcpRun(agent=result)
    assert run.answers[0]["result"] == result
    return run


def _as_session(result: Json) -> AcpRun:
    run = AcpRun(start=False)
    run.initialize()
    run.start()
    run.respond("session/new", result)
    assert run.told[0]["params"]["providerThreadId"] == result["sessionId"]
    return run


def _as_configured(result: Json) -> AcpRun:
    run = AcpRun(options={"config": {"model": "m"}})
    run.respond("session/set_config_option", result)
    return run


def _as_ours(method: str) -> Callable[[Json], AcpRun]:
    """A request of a client: ours has no members of another meaning."""

    def taker(params: Json) -> AcpRun:
        run = AcpRun(options={"config": {"model": "m"}})
        run.prompt()
        run.stop()
        ours = run.sent_of(method)[0]["params"]
        shared = ours.keys() & params.keys()
        assert shared
        assert all(type(ours[name]) is type(params[name]) for name in shared)
        return run

    return taker


TAKERS: dict[str, Callable[[Json], AcpRun]] = {
    "session_update_": taken_as_update,
    "tool_content_": taken_as_tool_content,
    "content_": _as_block,
    "permission_outcome_": _as_outcome,
    "request_permission_request": _as_permission,
    "request_permission_response": _as_outcome,
    "fs_read_text_file_request": _as_file_request,
    "fs_write_text_file_request": _as_file_request,
    "fs_read_text_file_response": _as_file_answer,
    "initialize_request": _as_ours("initialize"),
    "initialize_response": _as_initialized,
    "new_session_request": _as_ours("session/new"),
    "new_session_response": _as_session,
    "prompt_request": _as_ours("session/prompt"),
    "cancel_notification": _as_ours("session/cancel"),
    "set_session_config_option_request": _as_ours("session/set_config_option"),
    "set_session_config_option_response": _as_configured,
}
"""By the beginning of a golden message's name."""


def taker_of(name: str) -> Callable[[Json], AcpRun] | None:
    return next((taker for start, taker in TAKERS.items() if name.startswith(start)), None)
