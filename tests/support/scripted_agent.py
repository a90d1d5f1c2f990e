"""An ACP agent that says what a scripted model tells it; MODEL in its environment names the script.

The script is a JSON file of entries (see `parity.capture.script`). A call named `run` runs a shell command,
`ask` asks first; FAULT makes the agent fail in a turn: die, hang.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any


def send(**members: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **members}) + "\n")
    sys.stdout.flush()


def update(**fields: Any) -> None:
    send(method="session/update", params={"sessionId": "s-1", "update": fields})


def read() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def say(text: str) -> None:
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})


def answer_to(request_id: Any) -> tuple[dict[str, Any], bool]:
    """The client's answer, and whether the prompt was cancelled meanwhile."""
    cancelled = False
    while True:
        message = read()
        cancelled = cancelled or message.get("method") == "session/cancel"
        if message.get("id") == request_id and "method" not in message:
            return message["result"], cancelled


def call(number: int, made: dict[str, Any]) -> bool:
    """Make one call; whether the turn goes on."""
    command = made["arguments"]["command"]
    about = {"toolCallId": made["id"], "title": command, "kind": "execute"}
    update(sessionUpdate="tool_call", status="pending", rawInput={"command": command}, **about)
    if made["name"] == "ask":
        options = [
            {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ]
        params = {"sessionId": "s-1", "toolCall": about, "options": options}
        send(id=f"ask-{number}", method="session/request_permission", params=params)
        result, cancelled = answer_to(f"ask-{number}")
        if cancelled or result["outcome"].get("optionId") != "yes":
            update(sessionUpdate="tool_call_update", toolCallId=made["id"], status="failed")
            return not cancelled
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    content = [{"type": "content", "content": {"type": "text", "text": done.stdout + done.stderr}}]
    status = "completed" if done.returncode == 0 else "failed"
    output = {"exitCode": done.returncode, "stdout": done.stdout, "stderr": done.stderr}
    update(
        sessionUpdate="tool_call_update",
        toolCallId=made["id"],
        status=status,
        content=content,
        rawOutput=output,
    )
    return True


def prompt(text: str) -> str:
    """Play the entry the prompt is for; the stop reason."""
    if os.environ.get("FAULT") == "die":
        sys.stderr.write("\x1b[31mout of cheese\x1b[0m\n")
        sys.exit(7)
    if os.environ.get("FAULT") == "hang":
        time.sleep(60)
    with open(os.environ["MODEL"], encoding="utf-8") as file:
        entries = json.load(file)
    replies = next((entry["replies"] for entry in entries if entry["prompt"] in text), [])
    for reply in replies:
        if reply.get("refusal"):
            raise RuntimeError(reply["refusal"]["message"])
        if reply.get("say"):
            say(reply["say"])
        for number, made in enumerate(reply.get("calls") or []):
            if made["name"] == "wait":
                update(sessionUpdate="tool_call", toolCallId=made["id"], title="wait", kind="other")
                while read().get("method") != "session/cancel":
                    pass
                return "cancelled"
            if not call(number, made):
                return "cancelled"
    return "end_turn"


def main() -> None:
    """Serve the client until it is gone."""
    while True:
        message = read()
        method, request_id = message.get("method"), message.get("id")
        if method == "initialize":
            info = {"name": "scripted-agent", "version": "3.1"}
            capabilities = {"loadSession": True}
            result = {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": capabilities}
            send(id=request_id, result=result)
        elif method in ("session/new", "session/load"):
            send(id=request_id, result={"sessionId": "s-1"})
        elif method == "session/prompt":
            try:
                reason = prompt(message["params"]["prompt"][0]["text"])
                send(id=request_id, result={"stopReason": reason})
            except RuntimeError as error:
                send(id=request_id, error={"code": -32000, "message": str(error)})


main()
