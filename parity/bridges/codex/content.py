"""Content blocks of a prompt in the agent's form."""

from __future__ import annotations

from typing import Any

from parity.lanes.codex.shapes import text_of


def user_input(block: Any) -> Any:
    """A content block as `UserInput`: text, pictures and resources translated, its own kinds as they are."""
    if not isinstance(block, dict):
        return block
    kind = block.get("type")
    if kind == "text":
        return _text(block.get("text"), block.get("text_elements"))
    if kind == "image" and "url" not in block and isinstance(block.get("data"), str):
        mime = text_of(block, "mimeType") or "image/png"
        return {"type": "image", "url": f"data:{mime};base64,{block['data']}"}
    if kind == "resource_link":
        return _text(text_of(block, "uri") or "")
    if kind == "resource":
        return _text(text_of(block.get("resource"), "text") or "")
    return block


def _text(text: Any, elements: Any = None) -> dict[str, Any]:
    return {"type": "text", "text": text, "text_elements": elements or []}
