"""Capture: scenarios played on real agents against a scripted model, and what becomes a cell."""
