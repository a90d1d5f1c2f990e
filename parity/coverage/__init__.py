"""Coverage: which parts of the published protocols occur in the corpus, and what becomes of them."""
