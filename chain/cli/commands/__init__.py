"""One module per command, of the same name (`_` for `-`), with the click command as `command`.

The first line of a module's docstring is what `boardchain --help` says of it; nothing has to be entered anywhere.
"""
