"""Replay: a recording through a bridge, the assembler, the grammar and the rows."""
