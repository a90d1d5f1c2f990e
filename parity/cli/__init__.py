"""The command line: a thin face over the gates, the replay and the import."""
