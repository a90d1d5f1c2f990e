"""A bridge on standard input and output, for tests: our ACP bridge, or it with one thing wrong.

`python fake_bridge.py [MODE] [FILE]`; each `if mode ==` says what a mode does wrong.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from parity.bridges import HostCall, ToProvider, ToRuntime
from parity.bridges.acp.bridge import AcpBridge
from parity.wire import LineSplitter, encode

mode, note = (*sys.argv[1:], "good", "")[:2]
bridge = AcpBridge(os.environ["PARITY_PROVIDER"])
agent: subprocess.Popen[bytes] | None = None
seen: list[bytes] = []
held: list[bytes] = []


def main() -> None:
    global agent
    if mode == "missing-agent":
        command = [sys.executable, "-c", "import time; time.sleep(60)"]
    else:
        command = json.loads(os.environ["PARITY_AGENT_COMMAND"])
    agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert agent.stdout is not None
    selector = selectors.DefaultSelector()
    for fd, take in ((0, from_runtime), (agent.stdout.fileno(), from_agent)):
        selector.register(fd, selectors.EVENT_READ, (take, LineSplitter()))
    while True:
        for key, _ in selector.select():
            take, splitter = key.data
            chunk = os.read(key.fd, 65536)
            if not chunk:
                return stop()
            for line in splitter.feed(chunk):
                take(line)


def stop() -> None:
    if mode == "log":
        Path(note).write_bytes(b"\n".join(seen))
    if mode == "stays":
        time.sleep(60)
    sys.exit(7 if mode == "fails-at-the-end" else 0)


def from_runtime(line: bytes) -> None:
    seen.append(b"runtime " + line)
    message = parsed(line)
    if message is None:
        return
    method = message.get("method")
    if method == "turn/start":
        at_turn_start()
    if mode == "ignores-unknown" and str(method).startswith("$/"):
        return
    emit(bridge.runtime(message))


def at_turn_start() -> None:
    if mode == "crashes":
        sys.stderr.write("lost my way\n")
        sys.exit(3)
    if mode == "hangs":
        time.sleep(60)
    if mode == "garbage":
        out(b"Debugger listening on port 9229", b"{", b"[1]", b'{"id":[]}', b"5", b'"x"')
    if mode == "floods":
        for _ in range(50):
            out(b'{"method":"log","params":"' + b"x" * 1_000_000 + b'"}')
    if mode == "floods-one-line":
        while True:
            sys.stdout.buffer.write(b"x" * 1_000_000)
    if mode == "floods-its-agent":
        for _ in range(50):
            tell(b'{"method":"log","params":"' + b"x" * 1_000_000 + b'"}')
    if mode == "grandchild":
        child = subprocess.Popen(["sleep", "300"], start_new_session=True)
        near = subprocess.Popen(["sleep", "300"], stdin=subprocess.DEVNULL)
        Path(note).write_text(f"{child.pid} {near.pid}")
    if mode == "odd-deltas":
        odd = [
            {"kind": "item.invented"},
            {"kind": "item.close", "key": {"providerItemId": "c"}, "status": "completed", "exitCode": "2"},
            {"kind": "item.open", "key": {}, "item": {"type": "fileChange", "changes": "all"}},
            {"kind": "item.textDelta", "key": {"channel": "shouting"}, "text": "A"},
            {"no": "kind"},
            7,
        ]
        out(encode({"method": "thread/delta", "params": {"threadId": "thread-1", "deltas": odd}}))
    if mode == "odd-messages":
        out(b'{"method":"thread/delta","params":{"deltas":[]}}', b'{"id":1,"method":"interaction/request"}')


def from_agent(line: bytes) -> None:
    seen.append(b"agent " + line)
    message = parsed(line)
    if message is None:
        return
    if mode == "other-ids" and "method" not in message:
        message["id"] = int(message["id"].removeprefix("ours-"))
    if mode == "no-exit-code":
        update = message.get("params", {}).get("update", {})
        update.pop("rawOutput", None)
    emit(bridge.provider(message))


def emit(outputs: Any) -> None:
    for output in outputs:
        if isinstance(output, HostCall):
            emit(bridge.host_error(output.token, {"code": -32000, "message": "not here"}))
        elif isinstance(output, ToProvider):
            message = output.message
            if mode == "other-ids" and "method" in message and "id" in message:
                message = {**message, "id": f"ours-{message['id']}"}
            tell(encode(message))
        elif isinstance(output, ToRuntime):
            message = output.message
            if mode == "wrong-order" and message.get("method") == "thread/delta":
                line = encode(message)
                if b"turn.open" in line:
                    held.append(line)
                else:
                    out(line, *held)
                    held.clear()
            else:
                out(encode(message))


def out(*lines: bytes) -> None:
    for line in lines:
        sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def tell(line: bytes) -> None:
    assert agent is not None
    assert agent.stdin is not None
    agent.stdin.write(line + b"\n")


def parsed(line: bytes) -> Any:
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


if __name__ == "__main__":
    main()
