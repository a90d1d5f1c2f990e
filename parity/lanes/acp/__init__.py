"""The ACP lane: frames, calls, shapes, results, and the dialects of its agents."""
