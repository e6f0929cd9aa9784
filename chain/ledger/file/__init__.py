"""A chain in a file: one SQLite database that survives a kill and that other programs can read. Begin with `store`."""
