"""The interface for scripts and tests: `Chain`, handles, past blocks, forks, a chain in a node.

May import `ledger`, `runtime` and what is below them. Begin with `chain`, then `reader` and `handle`.
"""
