"""Coverage: which parts of the published protocols occur in the corpus, and what becomes of them.

`published` has the vocabularies, `names` finds them in messages, `watching` in cells; `stages` and `probes`
say them to a bridge; `measure` puts it together; `pins` holds it against `coverage.json`.
"""
