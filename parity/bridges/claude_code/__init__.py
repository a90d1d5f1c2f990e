"""The Claude Code bridge (stream-json with the control protocol) and the reader of its foreign clients."""
