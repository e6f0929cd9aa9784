"""What a contract sees while it runs: `self`, its World, its randomness, other contracts.

May import `machine` and what is below it. Begin with `contract`.
"""
