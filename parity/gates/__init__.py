"""Gates: checks with a verdict over what was replayed and compared.

Knows pins, counts and allowances. Must not know how a verdict is shown or which tool asked for it.
"""
