"""What both protocol versions write alike, read: content blocks, locations, plan entries, plain values.

A value of the wrong type is not said; one block nobody knows never loses the others. No state.
"""

from __future__ import annotations

from typing import Any

NO_META: dict[str, Any] = {}


def block_text(block: Any) -> str | None:
    """What a content block says in words: text verbatim, others by what they name."""
    if not isinstance(block, dict):
        return None
    kind = block.get("type")
    if kind == "text":
        return text_of(block.get("text"))
    if kind == "resource_link":
        return text_of(block.get("uri"))
    if kind == "resource":
        resource = block.get("resource")
        if isinstance(resource, dict):
            return text_of(resource.get("text")) or text_of(resource.get("uri"))
    if kind in ("image", "audio"):
        return f"[{kind} {block.get('mimeType') or ''}".rstrip() + "]"
    return None


def join_texts(texts: list[str]) -> str | None:
    """The texts of one collection, each beginning a line of its own."""
    if not texts:
        return None
    joined = texts[0]
    for text in texts[1:]:
        joined += text if not joined or joined.endswith("\n") else f"\n{text}"
    return joined


def text_of(value: Any) -> str | None:
    """A text that is one."""
    return value if isinstance(value, str) else None


def integer_of(value: Any) -> int | None:
    """An integer that is one: not a bool."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def meta_of(value: dict[str, Any]) -> dict[str, Any]:
    """The `_meta` of a message."""
    meta = value.get("_meta")
    return meta if isinstance(meta, dict) else NO_META


def paths_of(locations: list[Any]) -> list[str]:
    """The paths of a call's locations."""
    return [
        location["path"]
        for location in locations
        if isinstance(location, dict) and isinstance(location.get("path"), str)
    ]


def steps_of(entries: list[Any]) -> list[dict[str, Any]]:
    """Plan entries as steps {step, status?, priority?}."""
    steps = []
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get("content"), str):
            step = {"step": entry["content"]}
            for name in ("status", "priority"):
                if isinstance(entry.get(name), str):
                    step[name] = entry[name]
            steps.append(step)
    return steps
