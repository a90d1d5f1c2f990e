"""Secrets planted in a fake agent's traffic, in every disguise, and all that can be read out of a cell.

Nothing here looks like a secret to a scanner: each is made of parts by a seeded generator.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import quote

from parity.redaction import Known
from parity.wire import BRIDGE_TO_PROVIDER, LANES, PROVIDER_TO_BRIDGE, Cell, LaneLine, create_cell, open_cell

RECORDINGS = Path(__file__).parents[2] / "recordings"
TEMPLATES = {
    "acp": "acp-grok/streamed-output",
    "codex": "codex/streamed-output",
    "claude-code": "claude-code/partial-blocks",
}
FORMS = ("plain", "nested", "split", "bytes", "base64")
KINDS = ("path", "user", "host", "email", "authorization", "token", "registry")

OWNER, BOX = "ma" + "rlene", "kestrel" + "42"
HOME = "/".join(("", "home", OWNER))
KNOWN = Known(home=HOME, workspace=HOME + "/code/pro ject", user=OWNER, host=BOX)

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS = "0123456789"


class Secret(NamedTuple):
    """`text` is what must not survive, `said` the words it is said in."""

    kind: str
    form: str
    family: str
    text: str
    said: str


def secrets(count: int = 504, seed: int = 7) -> list[Secret]:
    random = Random(seed)
    families = list(TEMPLATES)
    made = []
    for number in range(count):
        kind, form = KINDS[number // 15 % len(KINDS)], FORMS[number // 3 % len(FORMS)]
        text, said = _make(kind, random)
        made.append(Secret(kind, form, families[number % 3], text, said.format(text)))
    return made


def _run(random: Random, length: int, letters: str = _LETTERS + _DIGITS) -> str:
    """Random characters, with a digit and both cases among them."""
    head = [random.choice(_DIGITS), random.choice(letters), random.choice(letters)]
    return "".join(random.choices(letters, k=length - 3)) + "".join(head)


def _token(random: Random) -> str:
    upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + _DIGITS
    makers: list[Callable[[], str]] = [
        lambda: "sk" + "-" + _run(random, 40),
        lambda: "sk" + "-ant-api03-" + _run(random, 60),
        lambda: "gh" + random.choice("pous") + "_" + _run(random, 36),
        lambda: "AK" + "IA" + _run(random, 16, upper),
        lambda: "ey" + "J" + _run(random, 20) + ".ey" + "J" + _run(random, 40) + "." + _run(random, 43),
        lambda: "xo" + "xb-" + _run(random, 12, _DIGITS) + "-" + _run(random, 24),
        lambda: "AI" + "za" + _run(random, 35),
        lambda: "gl" + "pat-" + _run(random, 20),
        lambda: "SK" + _run(random, 32, "abcdef" + _DIGITS),
        lambda: "np" + "m_" + _run(random, 36),
    ]
    return random.choice(makers)()


def _make(kind: str, random: Random) -> tuple[str, str]:
    name = _run(random, 8, "bcdfghjklm" + _DIGITS)
    if kind == "path":
        return random.choice(
            [
                (HOME, "opened {}/notes.txt for reading"),
                (HOME + "/code/pro ject", "cd '{}' && make"),
                (f"/{'home'}/{name}", "cannot access '{}/x': no such file"),
                (f"/{'Users'}/{name}", "at {}/src/main.py:3"),
                (f"C:\\{'Users'}\\{name}", "in {}\\Documents\\x.txt"),
                (f"/tmp/build-{name}", "wrote {}/out.bin"),
                (f"/private/var/folders/q1/{name}zz/T", "left in {}/a"),
                (quote(HOME, safe=""), "log%3A{}%2Fsessions"),
                (f"/{'home'}/{name}", "open file://{}/index.html now"),
                (HOME.replace("/", "-") + "-code", "under projects/{}-web/x.jsonl"),
            ]
        )
    if kind == "user":
        return OWNER, random.choice(
            ["owner {} wheel", "drwxr-xr-x 2 {} staff", "ping @{}!", "{}_backup.sql", "Dear {},"]
        )
    if kind == "host":
        return BOX, random.choice(
            ["Linux {} 6.1.0", "ssh {} uptime", "http://{}:8080/", "[{}] up", "{}.local"]
        )
    if kind == "email":
        return f"{name}@mail-{name}.io", random.choice(
            ["Author: J <{}>", "write to {}.", "mailto:{}?subject=x"]
        )
    if kind == "authorization":
        return _run(random, 28), random.choice(
            [
                "> Authorization: Bearer {}",
                "-H 'authorization: Basic {}'",
                "X-Api-Key: {}",
                "Cookie: session={}; a=b",
            ]
        )
    if kind == "registry":
        host = random.choice([".".join(("registry", "npm" + "js", "org")), ".".join(("py" + "pi", "org"))])
        return host, "GET https://{}/simple/x 200"
    if random.random() < 0.3:
        return _run(random, 32), random.choice(
            ["API_KEY={}", "client_secret: {}", "export DEPLOY_TOKEN='{}'", '"password": "{}"']
        )
    return _token(random), random.choice(["using {} now", "key={}", "({})", "https://x:{}@git.invalid/r.git"])


# -- traffic ---------------------------------------------------------------------------------------------


def planted(family: str, found: list[Secret]) -> list[LaneLine]:
    """A family's recording with secrets said by the agent, before the turn ends."""
    cell = open_cell(RECORDINGS / TEMPLATES[family])
    lines = list(cell.lines())
    says = {"acp": _acp, "codex": _codex, "claude-code": _claude}[family]
    last = max(
        i for i, line in enumerate(lines) if line.dir == PROVIDER_TO_BRIDGE and _ENDS[family] in line.line
    )
    inner = [decode for line in lines if isinstance(decode := _loads(line.line), dict)]
    made = []
    for number, secret in enumerate(found):
        for message in says(f"call_{number}", secret, inner, Random(number)):
            made.append(LaneLine(0, 1, 0, PROVIDER_TO_BRIDGE, json.dumps(message, ensure_ascii=False)))
    whole = [*lines[:last], *made, *lines[last:]]
    return [LaneLine(1_767_225_600_000 + n, 1, n, line.dir, line.line) for n, line in enumerate(whole, 1)]


_ENDS = {"acp": '"stopReason"', "codex": '"turn/completed"', "claude-code": '"type":"result"'}


def as_cell(root: Path, family: str, lines: list[LaneLine], name: str = "planted") -> Cell:
    template = open_cell(RECORDINGS / TEMPLATES[family])
    import msgspec

    manifest = msgspec.structs.replace(template.manifest, cell=name)
    lanes = {lane: [line for line in lines if line.dir == lane] for lane in LANES}
    return create_cell(root, manifest, lanes, replace=True)


def as_log(path: Path, lines: list[LaneLine]) -> Path:
    """The client↔agent log that a recording came from."""
    words = {PROVIDER_TO_BRIDGE: "agent->client", BRIDGE_TO_PROVIDER: "client->agent"}
    log = [{"ts": line.ts, "dir": words[line.dir], "line": line.line} for line in lines if line.dir in words]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in log), "utf-8")
    return path


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _parts(text: str, random: Random) -> list[str]:
    cuts = sorted(random.sample(range(1, len(text)), min(len(text) - 1, random.randint(3, 6))))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _disguised(secret: Secret, random: Random) -> Any:
    if secret.form == "nested":
        value: Any = {"stdout": secret.said, "n": [1.50, None]}
        for _ in range(random.randint(1, 3)):
            value = {"log": json.dumps(value)}
        return json.dumps(value)
    if secret.form == "bytes":
        return list(secret.said.encode())
    if secret.form == "base64":
        return base64.b64encode(secret.said.encode()).decode()
    return secret.said


def _acp(call: str, secret: Secret, inner: list[dict[str, Any]], random: Random) -> Iterator[dict[str, Any]]:
    session = next(m["result"]["sessionId"] for m in inner if "sessionId" in (m.get("result") or {}))

    def update(**fields: Any) -> dict[str, Any]:
        return {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {"sessionId": session, "update": fields},
        }

    if secret.form == "split":
        for part in _parts(f"\n{secret.said}\n", random):
            yield update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": part})
        return
    yield update(
        sessionUpdate="tool_call", toolCallId=call, title="run", kind="execute", status="pending", rawInput={}
    )
    said = _disguised(secret, random)
    content = [
        {"type": "content", "content": {"type": "text", "text": said if isinstance(said, str) else "done"}}
    ]
    output = {"type": "Bash", "output": said if isinstance(said, list) else [], "exit_code": 0}
    yield update(
        sessionUpdate="tool_call_update",
        toolCallId=call,
        status="completed",
        content=content,
        rawOutput=output,
    )


def _codex(
    call: str, secret: Secret, inner: list[dict[str, Any]], random: Random
) -> Iterator[dict[str, Any]]:
    started = next(m for m in inner if m.get("method") == "turn/started")
    ids = {"threadId": started["params"]["threadId"], "turnId": started["params"]["turn"]["id"]}
    item = {
        "type": "commandExecution",
        "id": call,
        "command": "run",
        "cwd": "/home/user/workspace",
        "commandActions": [],
    }
    said = _disguised(secret, random)
    extra = {"bytes": said} if isinstance(said, list) else {}
    yield {"method": "item/started", "params": {"item": {**item, "status": "inProgress", **extra}, **ids}}
    whole = said if isinstance(said, str) else "done"
    for part in _parts(whole, random) if secret.form == "split" else ():
        yield {
            "method": "item/commandExecution/outputDelta",
            "params": {**ids, "itemId": call, "delta": part},
        }
    done = {**item, "status": "completed", "aggregatedOutput": whole, "exitCode": 0, "durationMs": 3}
    yield {"method": "item/completed", "params": {"item": done, **ids}}


def _claude(
    call: str, secret: Secret, inner: list[dict[str, Any]], random: Random
) -> Iterator[dict[str, Any]]:
    session = next(m["session_id"] for m in inner if m.get("subtype") == "init")
    frame = {"session_id": session, "parent_tool_use_id": None}
    message = {"id": f"msg_{call}", "type": "message", "role": "assistant", "model": "m", "usage": {}}
    said = _disguised(secret, random)
    if secret.form == "split":

        def event(**fields: Any) -> dict[str, Any]:
            return {"type": "stream_event", "event": fields, **frame}

        yield event(type="message_start", message={**message, "content": []})
        yield event(type="content_block_start", index=0, content_block={"type": "text", "text": ""})
        for part in _parts(said, random):
            yield event(type="content_block_delta", index=0, delta={"type": "text_delta", "text": part})
        yield {
            "type": "assistant",
            "message": {**message, "content": [{"type": "text", "text": said}]},
            **frame,
        }
        yield event(type="content_block_stop", index=0)
        yield event(type="message_stop")
        return
    use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "run"}}
    yield {"type": "assistant", "message": {**message, "content": [use]}, **frame}
    whole = said if isinstance(said, str) else "done"
    result = {"tool_use_id": call, "type": "tool_result", "content": whole, "is_error": False}
    stdout = {"stdout": whole, "stderr": "", "raw": said if isinstance(said, list) else []}
    user = {"role": "user", "content": [result]}
    yield {"type": "user", "message": user, "tool_use_result": stdout, **frame}


# -- readings --------------------------------------------------------------------------------------------


def readings(cell: Cell) -> list[str]:
    """Every text that somebody could read out of a cell, by looking closely."""
    found: list[str] = []
    for path in sorted(cell.path.iterdir()):
        text = path.read_text("utf-8")
        found.append(text)
        joined: dict[str, list[str]] = defaultdict(list)
        for line in text.split("\n") if path.suffix == ".ndjson" else [text]:
            if line:
                _read(json.loads(line), "", joined, found)
        found += ["".join(parts) for parts in joined.values()]
    decoded = []
    for text in found:
        for run in re.findall(r"[A-Za-z0-9+/]{16,}={0,2}", text):
            try:
                decoded.append(base64.b64decode(run).decode())
            except (binascii.Error, ValueError):
                continue
    return found + decoded


def _read(value: Any, path: str, joined: dict[str, list[str]], found: list[str]) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            found.append(name)
            _read(inner, f"{path}.{name}", joined, found)
    elif isinstance(value, list):
        if len(value) > 3 and all(isinstance(n, int) and 0 <= n < 256 for n in value):
            found.append(bytes(value).decode("utf-8", "replace"))
        for inner in value:
            _read(inner, path + "[]", joined, found)
    elif isinstance(value, str):
        joined[path].append(value)
        found.append(value)
        inner = _loads(value) if value[:1] in ("{", "[", '"') else None
        if inner is not None:
            _read(inner, path + "!", joined, found)


def leaks(cell: Cell, hidden: list[Secret]) -> list[Secret]:
    """The secrets that can be read in a cell."""
    whole = "\0".join(readings(cell))
    return [secret for secret in hidden if secret.text in whole]
