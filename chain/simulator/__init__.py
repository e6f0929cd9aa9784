"""The interface for scripts and tests: `Chain`, handles, past blocks, forks, a chain in a node.

`Chain` is what scripts see; a driver does what they ask, in this process or in a node. May import `ledger`, `runtime` and what
is below them. Begin with `chain`, then `reader`, `driver` and `handle`.
"""
