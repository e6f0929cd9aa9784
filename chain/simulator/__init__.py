"""The face that scripts and tests use: `Chain`, handles, the past, forks, a chain in a node.

May import `ledger`, `runtime` and what is below them. Begin with `chain`, then `reader` and `handle`.
"""
