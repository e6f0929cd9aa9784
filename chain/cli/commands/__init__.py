"""One module per command, of the same name (`_` for `-`), with the click command as `command`.

The first line of a module's docstring is its summary in `boardchain --help`. Commands need no registration.
"""
