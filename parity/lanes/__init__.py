"""Lanes: one translator per provider family, from provider traffic to deltas."""
