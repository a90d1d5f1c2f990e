"""Checkouts: two whole trees of this project replay the same recordings, and what differs is said.

Knows git, processes and the two sides. Must not know how a comparison is shown or which command asked.
"""
