"""What the ACP lane leaves alone, and why: the written decisions behind its quiet.

Keys are `sessionUpdate` kinds and methods, as the wire names them; a method may end in `*`. The documentation
page of the lanes is made from this table, and a wire message that never has an effect must stand in it.
"""

from __future__ import annotations

IGNORED = {
    "available_commands_update": "commands on offer; a client may ask for them, no row shows them",
    "config_option_update": "options on offer and their values; the runtime sets them and keeps its own",
    "user_message_chunk": "the prompt's echo while it is open, or history of a loaded session",
    "user_message": "the prompt's echo while it is open, or history of a loaded session",
    "terminal_update": "known until a call shows the terminal",
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

WORDS = {
    "tool kind other": "the protocol's word for no kind of its own: a tool row",
    "tool kind think": "there is no row for it: a tool row with the agent's title",
    "state requires_action": "the request itself says what is required",
    "tool status pending": "what every call is until more is said",
}
"""Word inside a message (its category first) → why it makes no difference."""

UPDATES_V2 = {
    "agent_message": "all of a message anew; it stays known until its turn ends",
    "agent_message_chunk": "text appended to the message of that id",
    "agent_thought": "all of a thought anew",
    "agent_thought_chunk": "text appended to the thought of that id",
    "available_commands_update": "nothing: commands on offer",
    "config_option_update": "nothing: options on offer and their values",
    "plan_update": "the plan of that id, whole; `[]` empties it",
    "session_info_update": "the thread's name; a title taken back leaves it",
    "state_update": "`running` or `requires_action` opens a turn where none is open; `idle` ends it",
    "terminal_output_chunk": "output of the command that shows the terminal",
    "terminal_update": "its output anew, its command and folder, how it ended",
    "tool_call_content_chunk": "one more text, changed file or terminal of the call",
    "tool_call_update": "a call's row: the first creates it, null takes a field back",
    "usage_update": "tokens in the context window",
    "user_message": "nothing while a turn is open: the prompt's echo",
    "user_message_chunk": "nothing while a turn is open: the prompt's echo",
}
"""`sessionUpdate` of protocol version 2 → what becomes of it."""

KEPT_V2 = {
    "plan_update": "a plan in a form this version does not name",
    "state_update": "a state this version does not name: it neither begins nor ends work",
    "terminal_output_chunk": "bytes that are no base64",
    "terminal_update": "a snapshot that is no base64",
    "user_message": "input outside a turn; nobody's prompt to show",
    "user_message_chunk": "input outside a turn; nobody's prompt to show",
}
"""`sessionUpdate` of protocol version 2 that may be kept as an `unhandled` row → why."""


def reason(name: str) -> str | None:
    """Why a wire message of that name may become nothing; None where no decision stands."""
    if name in IGNORED:
        return IGNORED[name]
    return next((why for key, why in IGNORED.items() if key[-1] == "*" and name.startswith(key[:-1])), None)
