"""Make a vocabulary of `parity coverage` from what an agent or protocol publishes.

    python scripts/coverage_vocabulary.py acp-v1 SCHEMA.json
    python scripts/coverage_vocabulary.py acp-v2 SCHEMA.json
    python scripts/coverage_vocabulary.py codex SCHEMA.json[.gz]
    python scripts/coverage_vocabulary.py claude-code SDK.d.ts MESSAGES.d.ts

A vocabulary is the names of each category and, where a name stands for a whole message or block, some
instances, from the smallest to the fullest. SCHEMA of codex has the documents of
`codex app-server generate-json-schema --experimental`, `{"documents": {"ServerNotification": …}}`. The types
of claude-code are those of the npm packages `@anthropic-ai/claude-agent-sdk` (sdk.d.ts) and
`@anthropic-ai/sdk` (resources/beta/messages).
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typescript_types

Json = dict[str, Any]
Categories = dict[str, dict[str, list[Any]]]

FOLDER = Path(__file__).parent.parent / "parity" / "coverage" / "vocabulary"
_DEPTH = 4

ACP_VARIANTS = {
    "session update": ("SessionUpdate", "sessionUpdate"),
    "content block": ("ContentBlock", "type"),
    "tool content": ("ToolCallContent", "type"),
    "state": ("StateUpdate", "state"),
    "plan content": ("PlanUpdateContent", "type"),
    "diff change": ("DiffChange", "operation"),
    "permission subject": ("RequestPermissionSubject", "type"),
}
ACP_WORDS = {
    "tool kind": "ToolKind",
    "tool status": "ToolCallStatus",
    "stop reason": "StopReason",
    "plan status": "PlanEntryStatus",
    "plan priority": "PlanEntryPriority",
    "permission option": "PermissionOptionKind",
}
CLAUDE_CONTROL = (
    "SDKControlPermissionRequest",
    "SDKHookCallbackRequest",
    "SDKControlMcpMessageRequest",
    "SDKControlElicitationRequest",
    "SDKControlRequestUserDialogRequest",
)
"""The control requests the agent makes; the others of the union are the client's."""
CLAUDE_CONTAINERS = ("control_request", "stream_event")
"""Messages whose kinds are categories of their own."""
CLAUDE_VARIANTS = {
    "content block": (("BetaContentBlock", "BetaContentBlockParam"), "type"),
    "stream event": (("BetaRawMessageStreamEvent",), "type"),
    "block delta": (("BetaRawContentBlockDelta",), "type"),
}


class Samples:
    """Instances of the schemas of one document."""

    def __init__(self, definitions: Json) -> None:
        self.definitions = definitions

    def some(self, schema: Json, **fixed: Any) -> list[Any]:
        """Instances with these members: the smallest, the fullest with the first and the last of each choice.

        And the smallest with each further word that one of its own members may be.
        """
        made: list[Any] = []
        for full, choice in ((False, 0), (True, 0), (True, -1)):
            one = self.of(schema, full, choice, 0)
            one = {**one, **fixed} if isinstance(one, dict) else one
            if one not in made:
                made.append(one)
        for name, member in self.properties(schema).items():
            if name in made[0] and name not in fixed:
                said = [one.get(name) for one in made]
                made += [{**made[0], name: word} for word in self.words(member) if word not in said]
        return made

    def resolve(self, schema: Json) -> Json:
        """The schema behind a reference; one that leads nowhere allows anything."""
        while "$ref" in schema:
            schema = self.definitions.get(schema["$ref"].rpartition("/")[2], {})
        return schema

    def variants(self, schema: Json) -> Iterator[Json]:
        """The alternatives of a union, unions inside it resolved."""
        schema = self.resolve(schema)
        options = schema.get("oneOf") or schema.get("anyOf")
        if options is None:
            yield schema
        for option in options or ():
            yield from self.variants(option)

    def properties(self, schema: Json) -> Json:
        """Member → schema of an object, those of its bases included."""
        schema = self.resolve(schema)
        found: Json = {}
        for part in schema.get("allOf", ()):
            found.update(self.properties(part))
        return {**found, **schema.get("properties", {})}

    def words(self, schema: Any) -> list[Any]:
        """The constants a schema allows."""
        if not isinstance(schema, dict):
            return []
        schema = self.resolve(schema)
        if "const" in schema:
            return [schema["const"]]
        if "enum" in schema:
            return list(schema["enum"])
        options = schema.get("oneOf") or schema.get("anyOf") or ()
        return [word for option in options for word in self.words(option)]

    def of(self, schema: Any, full: bool, choice: int, depth: int) -> Any:
        """An instance: all members where `full`; `choice` is which of alternatives, null aside."""
        if not isinstance(schema, dict):
            return "text"
        schema = self.resolve(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][choice]
        options = schema.get("oneOf") or schema.get("anyOf")
        if options:
            some = [one for one in options if one.get("type") != "null"] or options
            value = self.of(some[choice if depth < _DEPTH else 0], full, choice, depth)
            own = self._object(schema, full, choice, depth)
            return {**value, **own} if isinstance(value, dict) else value
        if "allOf" in schema or "properties" in schema:
            parts = [self.of(part, full, choice, depth) for part in schema.get("allOf", ())]
            plain = [part for part in parts if not isinstance(part, dict)]
            return plain[0] if plain else self._object(schema, full, choice, depth)
        return self._value(schema, full, choice, depth)

    def _object(self, schema: Json, full: bool, choice: int, depth: int) -> Json:
        value: Json = {}
        for part in schema.get("allOf", ()):
            made = self.of(part, full, choice, depth)
            value.update(made if isinstance(made, dict) else {})
        required = schema.get("required", ())
        for name, member in schema.get("properties", {}).items():
            if name in required or (full and depth < _DEPTH and name != "_meta"):
                value[name] = self.of(member, full, choice, depth + 1)
        return value

    def _value(self, schema: Json, full: bool, choice: int, depth: int) -> Any:
        kind = schema.get("type", "string")
        if isinstance(kind, list):
            kind = next((one for one in kind if one != "null"), "null")
        if kind == "array":
            filled = depth < _DEPTH and (full or schema.get("minItems", 0))
            return [self.of(schema.get("items", True), full, choice, depth + 1)] if filled else []
        plain = {"string": "text", "integer": 1, "number": 1, "boolean": True, "object": {}, "null": None}
        return plain[kind]


def acp(schema: Json) -> Categories:
    samples = Samples(schema["$defs"])
    found: Categories = {}
    for category, (name, member) in ACP_VARIANTS.items():
        for variant in samples.variants({"$ref": name}) if name in schema["$defs"] else ():
            for word in samples.words(samples.properties(variant).get(member, {})):
                found.setdefault(category, {})[word] = samples.some(variant, **{member: word})
    if "StateUpdate" in schema["$defs"]:
        states = [
            {**sample, "sessionUpdate": "state_update"} for some in found["state"].values() for sample in some
        ]
        found["session update"]["state_update"] = states
    for category, name in ACP_WORDS.items():
        found[category] = {word: [] for word in samples.words({"$ref": name})}
    methods = found["client method"] = {}
    for name, body in schema["$defs"].items():
        asks = body.get("x-side") in ("client", "protocol") and name.endswith(("Request", "Notification"))
        if asks and body["x-method"] != "session/update":
            methods[body["x-method"]] = samples.some({"$ref": name})
    return found


def codex(schema: Json) -> Categories:
    found: Categories = {}
    for category, name in (("notification", "ServerNotification"), ("server request", "ServerRequest")):
        document = schema["documents"][name]
        samples = Samples(document["definitions"])
        for branch in document["oneOf"]:
            method = branch["properties"]["method"]["enum"][0]
            params = branch["properties"].get("params", {"type": "object"})
            found.setdefault(category, {})[method] = samples.some(params)
    samples = Samples(schema["documents"]["ServerNotification"]["definitions"])
    for item in samples.definitions["ThreadItem"]["oneOf"]:
        found.setdefault("item type", {})[item["properties"]["type"]["enum"][0]] = samples.some(item)
    return found


def claude_code(*texts: str) -> Categories:
    samples = Samples(typescript_types.definitions(*texts))
    samples.definitions["MessageParam"] = {"$ref": "#/BetaMessageParam"}
    found: Categories = {"message": {}, "control request": {}, "result": {}}
    for variant in samples.variants({"$ref": "StdoutMessage"}):
        members = samples.properties(variant)
        kind = samples.words(members.get("type", {}))[0]
        if kind in CLAUDE_CONTAINERS:
            continue
        for subtype in samples.words(members.get("subtype", {})) or [None]:
            if kind == "result":
                found["result"][subtype] = samples.some(variant, subtype=subtype)
            named = f"{kind}/{subtype}" if kind == "system" and subtype else kind
            fixed = {} if subtype is None else {"subtype": subtype}
            found["message"].setdefault(named, samples.some(variant, **fixed))
    for name in CLAUDE_CONTROL:
        for word in samples.words(samples.properties({"$ref": name}).get("subtype", {})):
            found["control request"][word] = samples.some({"$ref": name})
    for category, (names, member) in CLAUDE_VARIANTS.items():
        for name in names:
            for variant in samples.variants({"$ref": name}):
                for word in samples.words(samples.properties(variant).get(member, {})):
                    found.setdefault(category, {}).setdefault(word, samples.some(variant))
    return found


def main() -> int:
    if len(sys.argv) < 3:
        sys.stderr.write(__doc__ or "")
        return 2
    protocol, *files = sys.argv[1:]
    texts = [_text(Path(file)) for file in files]
    if protocol == "claude-code":
        found = claude_code(*texts)
    else:
        found = (codex if protocol == "codex" else acp)(json.loads(texts[0]))
    made = {name: dict(sorted(words.items())) for name, words in found.items()}
    lines = []
    for category, words in made.items():
        entries = ",\n".join(
            f"    {json.dumps(word)}: {json.dumps(samples, ensure_ascii=False)}"
            for word, samples in words.items()
        )
        lines.append(f"  {json.dumps(category)}: {{\n{entries}\n  }}")
    (FOLDER / f"{protocol}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    print(protocol, {name: len(words) for name, words in made.items()})
    return 0


def _text(file: Path) -> str:
    data = file.read_bytes()
    return (gzip.decompress(data) if file.suffix == ".gz" else data).decode()


if __name__ == "__main__":
    sys.exit(main())
