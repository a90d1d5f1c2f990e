"""The translator lane of Claude Code's stream-json output."""
