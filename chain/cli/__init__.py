"""The command `boardchain`. Each command is a module in `commands`, imported when it is used.

May import everything but `pytest_plugin`. Begin with `main`.
"""
