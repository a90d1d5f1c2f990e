"""Redaction: what is personal or secret in a recording, taken out of it, and the sweep that proves it."""
