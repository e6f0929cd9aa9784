"""The interface of a running contract: `self`, its World, its randomness, and calls to other contracts.

May import `machine` and what is below it. Begin with `contract`.
"""
