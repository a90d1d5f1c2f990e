"""What becomes of everything `codex app-server` 0.171.0 can say: the lists behind the lane.

Made from `codex app-server generate-json-schema --experimental`. A method or item type that stands in none
of these tables is new: it is kept as unhandled, never dropped. Knows names only, no shapes and no state.
"""

from __future__ import annotations

_NEVER_CALLED = "belongs to a call our bridge never makes"
_CATALOGUE = "a catalogue or account changed; a client may ask for it, no row shows it"
_BOOKKEEPING = "the client's own bookkeeping of the thread comes back; nothing happened in it"
_REALTIME = "belongs to a voice session, which our bridge never starts"
_HINT = "a hint for a client's own display; the outcome arrives as an item or an error"

HANDLED_NOTIFICATIONS = frozenset(
    (
        "account/rateLimits/updated",
        "configWarning",
        "deprecationNotice",
        "error",
        "guardianWarning",
        "hook/completed",
        "item/agentMessage/delta",
        "item/autoApprovalReview/completed",
        "item/commandExecution/outputDelta",
        "item/commandExecution/terminalInteraction",
        "item/completed",
        "item/fileChange/outputDelta",
        "item/fileChange/patchUpdated",
        "item/mcpToolCall/progress",
        "item/plan/delta",
        "item/reasoning/summaryPartAdded",
        "item/reasoning/summaryTextDelta",
        "item/reasoning/textDelta",
        "item/started",
        "mcpServer/startupStatus/updated",
        "model/rerouted",
        "modelProvider/authRecoveryStarted",
        "serverRequest/resolved",
        "thread/closed",
        "thread/compacted",
        "thread/deleted",
        "thread/goal/cleared",
        "thread/goal/updated",
        "thread/name/updated",
        "thread/started",
        "thread/tokenUsage/updated",
        "turn/completed",
        "turn/diff/updated",
        "turn/plan/updated",
        "turn/started",
        "warning",
        "windows/worldWritableWarning",
    )
)
"""Notifications that become deltas."""

IGNORED_NOTIFICATIONS = {
    "account/gatewayOAuth/changed": _CATALOGUE,
    "account/login/completed": _CATALOGUE,
    "account/updated": _CATALOGUE,
    "app/list/updated": _CATALOGUE,
    "autoApprovalReview/strictReviewRequired": _HINT,
    "command/exec/outputDelta": _NEVER_CALLED,
    "externalAgentConfig/import/completed": _NEVER_CALLED,
    "externalAgentConfig/import/progress": _NEVER_CALLED,
    "fs/changed": _NEVER_CALLED,
    "fuzzyFileSearch/sessionCompleted": _NEVER_CALLED,
    "fuzzyFileSearch/sessionUpdated": _NEVER_CALLED,
    "hook/started": "the hook's outcome is what counts, and `hook/completed` has it",
    "item/autoApprovalReview/started": "the review's outcome is what counts, and the completed one has it",
    "mcpServer/event/stream/notification": _NEVER_CALLED,
    "mcpServer/oauthLogin/completed": _CATALOGUE,
    "model/safetyBuffering/updated": _HINT,
    "model/verification": _HINT,
    "modelProvider/authRecoveryCompleted": "the warning about the recovery was shown when it began",
    "process/exited": _NEVER_CALLED,
    "process/outputDelta": _NEVER_CALLED,
    "project/changed": _BOOKKEEPING,
    "remoteControl/status/changed": "states of a remote control the runtime does not use",
    "skills/changed": _CATALOGUE,
    "thread/archived": _BOOKKEEPING,
    "thread/attachment/updated": _BOOKKEEPING,
    "thread/environment/connected": "the place where commands run is up; each command says how it went",
    "thread/environment/disconnected": "the place where commands run is gone; each command says how it went",
    "thread/prediction/updated": _NEVER_CALLED,
    "thread/project/updated": _BOOKKEEPING,
    "thread/queue/changed": _BOOKKEEPING,
    "thread/readState/changed": _BOOKKEEPING,
    "thread/realtime/closed": _REALTIME,
    "thread/realtime/error": _REALTIME,
    "thread/realtime/item/completed": _REALTIME,
    "thread/realtime/item/started": _REALTIME,
    "thread/realtime/item/transcript/delta": _REALTIME,
    "thread/realtime/itemAdded": _REALTIME,
    "thread/realtime/outputAudio/delta": _REALTIME,
    "thread/realtime/sdp": _REALTIME,
    "thread/realtime/started": _REALTIME,
    "thread/realtime/transcript/delta": _REALTIME,
    "thread/realtime/transcript/done": _REALTIME,
    "thread/reverted": _NEVER_CALLED,
    "thread/search/partial": _NEVER_CALLED,
    "thread/section/changed": _BOOKKEEPING,
    "thread/settings/updated": "the runtime's own options come back",
    "thread/status/changed": "follows from the turn notifications, which decide",
    "thread/unarchived": _BOOKKEEPING,
    "turn/moderationMetadata": _HINT,
    "windowsSandbox/setupCompleted": _NEVER_CALLED,
}
"""Notifications that say nothing a row, event or usage could show, each with the reason."""

QUIET = {
    "item/completed subAgentActivity": "the sub-agent's own thread settles its delegation",
    "item/reasoning/summaryPartAdded": "the first delta under the new index begins the part",
    "serverRequest/resolved": "has an effect only where the agent took a request back",
    "thread/goal/cleared": "nothing was set before",
    "thread/items/list answer": "history of a resumed thread",
    "thread/started": "the runtime's own thread is known from the answer; only a child's is news",
    "thread/turns/list answer": "history of a resumed thread",
    "initialize answer": "the handshake; the runtime gets it as the answer to its own",
    "turn/start answer": "`turn/started` decides",
    "turn/interrupt answer": "`turn/completed` decides",
    "turn/steer answer": "the runtime's request is answered, the turn goes on",
    "item/started userMessage": "the echo of the runtime's input",
    "item/completed userMessage": "the echo of the runtime's input",
    "item/started reasoning": "opens with its first text",
    "item/started agentMessage": "opens with its first text",
    "item/completed reasoning": "an item without text shows nothing",
}
"""Messages that have no effect where they say nothing new: method (and item type) → the reason."""

ITEM_TYPES = {
    "agentMessage": "text",
    "collabAgentToolCall": "delegation for spawnAgent, a tool for the rest",
    "commandExecution": "command",
    "contextCompaction": "compaction",
    "dynamicToolCall": "tool",
    "enteredReviewMode": "extension",
    "exitedReviewMode": "extension",
    "fileChange": "fileChange",
    "functionCallOutput": "tool",
    "hookPrompt": "input of the provider",
    "imageGeneration": "imageGeneration",
    "imageView": "imageView",
    "mcpToolCall": "tool",
    "plan": "text",
    "reasoning": "text, summary and content in a channel each",
    "sleep": "tool",
    "subAgentActivity": "delegation",
    "userMessage": "dropped where it echoes the runtime, else input of the provider",
    "webSearch": "webSearch, or webFetch for a page",
}
"""Item types and what they become."""

SERVER_REQUESTS = {
    "account/chatgptAuthTokens/refresh": "refused: signing in is left to the agent's own command",
    "applyPatchApproval": "approval",
    "attestation/generate": "refused: our bridge never offers it",
    "execCommandApproval": "approval",
    "item/commandExecution/requestApproval": "approval",
    "item/fileChange/requestApproval": "approval",
    "item/permissions/requestApproval": "approval",
    "item/tool/call": "answered as a failed call: the runtime offers no tools of its own",
    "item/tool/requestUserInput": "user_question",
    "mcpServer/elicitation/request": "approval where nothing is to be filled in, else declined and warned of",
}
"""Requests the agent makes, and how they are answered; any other is refused and kept as unhandled."""
