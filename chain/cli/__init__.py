"""The command `boardchain`. Each command is a module in `commands` and is imported only when it is used.

May import every package but `plugins`. Begin with `main`.
"""
