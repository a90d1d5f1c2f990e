"""The vocabularies are what the published schemas say, made by the script."""

from __future__ import annotations

import gzip
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from parity.coverage.model import PROTOCOLS
from parity.coverage.names import NAMES, family_of_protocol
from parity.coverage.published import vocabulary

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def made() -> ModuleType:
    sys.modules["typescript_types"] = script("typescript_types")
    return script("coverage_vocabulary")


def schema(name: str) -> Any:
    return json.loads(gzip.decompress((DATA / name).read_bytes()))


def names(categories: Any) -> dict[str, set[str]]:
    return {category: set(found) for category, found in categories.items()}


def test_acp_has_every_name_of_its_schema(made: ModuleType) -> None:
    assert names(vocabulary("acp-v1")) == names(made.acp(schema("acp-schema-v1.json.gz")))


def test_codex_is_made_of_its_schema(made: ModuleType) -> None:
    assert vocabulary("codex") == made.codex(schema("codex-schema.json.gz"))


def test_the_types_of_claude_code_are_read_from_declarations(made: ModuleType) -> None:
    declared = """
    export declare type StdoutMessage = core.SDKMessage | SDKKeepAlive; // every line
    export declare type SDKMessage = SDKResultMessage | SDKNote;
    export declare type SDKKeepAlive = { type: 'keep_alive'; };
    /* two { of } them */
    export declare type SDKResultMessage = {
        type: 'result'; subtype: 'success' | 'error_max_turns'; is_error: boolean;
    };
    declare interface Base { uuid: string; extra?: Record<string, unknown>; }
    export declare type SDKNote = Base & {
        type: 'system'; subtype: 'note';
        level: 'info' | 'warning' | 'error';
        said: (string | null)[];
    };
    """
    found = made.claude_code(declared)
    assert set(found["message"]) == {"keep_alive", "result", "system/note"}
    assert set(found["result"]) == {"success", "error_max_turns"}
    smallest, fullest, *others = found["message"]["system/note"]
    assert smallest == {"uuid": "text", "type": "system", "subtype": "note", "level": "info", "said": []}
    assert fullest == {**smallest, "extra": {}, "said": ["text"]}
    assert {one["level"] for one in others} == {"warning", "error"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_instance_of_a_message_has_the_name_it_stands_for(protocol: str) -> None:
    read = NAMES[family_of_protocol(protocol)]
    for category, found in vocabulary(protocol).items():
        for name, samples in found.items():
            for sample in samples:
                message = wrapped(category, name, sample)
                assert message is None or (category, name) in set(read(message))


def wrapped(category: str, name: str, sample: Any) -> Any:
    """The whole message around an instance; None where it is a part with no message of its own."""
    match category:
        case "session update":
            return {"method": "session/update", "params": {"update": sample}}
        case "client method" | "notification":
            return {"method": name, "params": sample}
        case "server request":
            return {"id": 1, "method": name, "params": sample}
        case "item type":
            return {"method": "item/started", "params": {"item": sample}}
        case "message" | "result":
            return sample
        case "control request":
            return {"type": "control_request", "request": sample}
        case "stream event":
            return {"type": "stream_event", "event": sample}
    return None


def test_an_unknown_protocol_is_named() -> None:
    with pytest.raises(ValueError, match="unknown protocol 'acp-v9'"):
        vocabulary("acp-v9")
