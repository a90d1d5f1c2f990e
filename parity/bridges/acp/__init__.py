"""The ACP bridge and the reader of foreign ACP clients."""
