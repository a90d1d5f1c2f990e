"""Shell: the sans-IO bridges as live processes: an agent's child process, host calls, recorded lanes."""
