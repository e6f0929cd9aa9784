"""A chain in a file: one SQLite database that survives a kill, and that others can read. Begin with `store`."""
