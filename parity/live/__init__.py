"""Live: bridges that run as processes of their own, in any language, driven by a recording.

A side wing of the replay: it starts processes and moves lines, and everything it decides by is the replay's.
Only the command line and the pytest plugin use it.
"""
