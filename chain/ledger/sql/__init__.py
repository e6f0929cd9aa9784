"""The ledger as SQL tables and as JSON: which tables there are, their rows, and questions to them. Begin with `tables`."""
