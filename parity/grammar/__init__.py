"""Grammar: deltas, events, ordering rules and rows; what an agent did, free of any wire."""
