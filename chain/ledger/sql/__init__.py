"""The ledger as SQL tables and as JSON: the tables, their rows, and queries on them. Begin with `tables`."""
