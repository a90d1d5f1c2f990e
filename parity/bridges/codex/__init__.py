"""The codex bridge, and the reader of foreign `codex app-server` clients."""
