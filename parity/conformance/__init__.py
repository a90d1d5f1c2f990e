"""Conformance: the rules every bridge keeps, scripted and over the recordings."""
