"""The codex translator lane: notifications of `codex app-server` in, deltas out."""
