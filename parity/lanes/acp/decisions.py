"""What the ACP lane leaves alone, and why: the written decisions behind its quiet.

Keys are `sessionUpdate` kinds and methods, as the wire names them; a method may end in `*`. The documentation
page of the lanes is made from this table, and a wire message that never has an effect must stand in it.
"""

from __future__ import annotations

IGNORED = {
    "available_commands_update": "commands on offer; a client may ask for them, no row shows them",
    "config_option_update": "options on offer and their values; the runtime sets them and keeps its own",
    "user_message_chunk": "the prompt's echo while it is open, or history of a loaded session",
    "tool_call completed": "history: a loaded session tells of finished calls",
    "tool_call failed": "history: a loaded session tells of finished calls",
    "_*": "an extension notification; those its dialect reads have an effect, any other is the vendor's own",
    "qwen/notify/session/prompt-suggestion": "a suggestion for what to type next",
    "craft/drainMidTurnQueue": "asks for prompts typed meanwhile; refused, the runtime sends those itself",
    "$/*": "the protocol's own housekeeping",
    "elicitation/complete": "belongs to a form, and forms are declined",
    "session/set_mode answer": "the mode was set; a refusal becomes a warning",
    "session/set_config_option answer": "the option was set; a refusal becomes a warning",
}
"""Name on the wire → why it becomes no delta."""


def reason(name: str) -> str | None:
    """Why a wire message of that name may become nothing; None where no decision stands."""
    if name in IGNORED:
        return IGNORED[name]
    return next((why for key, why in IGNORED.items() if key[-1] == "*" and name.startswith(key[:-1])), None)
