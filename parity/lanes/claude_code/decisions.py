"""What the Claude Code lane leaves alone, and why: the written decisions behind its quiet.

The names are those of the documentation page of the lanes: `TYPE`, `system SUBTYPE`, `stream_event EVENT`,
`stream_event content_block_delta DELTA`, `control_request SUBTYPE`, `block TYPE`. Knows names only.
"""

from __future__ import annotations

from parity.lanes.claude_code.reader import OPAQUE_BLOCKS, QUIET_SYSTEM, QUIET_TYPES

QUIET = {
    "system permission_denied": "the refused call's own result says it",
    "control_response": "the answer to a control request of ours",
    "control_cancel_request": "takes back a request our bridge has answered already",
    "control_request mcp_message": "refused: this client runs no MCP servers",
    "stream_event message_start": "carries only what the whole frames repeat",
    "stream_event message_delta": "carries only what the whole frames and the result repeat",
    "stream_event message_stop": "the whole frames and the result say so",
    "stream_event content_block_start": "the block opens with its first delta or its whole frame",
    "stream_event content_block_delta input_json_delta": "a piece of the arguments; the whole frame has them",
    "stream_event content_block_delta signature_delta": "a signature of the vendor",
    "stream_event content_block_delta citations_delta": "the source of a passage; no row has a place for it",
    "stream_event content_block_delta compaction_delta": "a piece of the summary; the whole frame says so",
    "stream_event content_block_stop": "the whole frame of the block closes it",
    "system status": "what the agent is busy with; the rows show it",
    "user text": "the echo of the runtime's input, or a notice of the agent program to itself",
    "system task_updated": "a task's own bookkeeping; `task_notification` settles it",
}
"""Messages that have no effect where they say nothing new, each with the reason."""


def reason(name: str) -> str | None:
    """Why a message of that name may become nothing; None where no decision stands."""
    head, _, rest = name.partition(" ")
    if head == "block":
        return OPAQUE_BLOCKS.get(rest)
    return QUIET_TYPES.get(head) or (QUIET_SYSTEM.get(rest) if head == "system" else None) or QUIET.get(name)
