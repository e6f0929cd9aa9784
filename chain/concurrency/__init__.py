"""Steps that are done whole or not at all, and turns between threads.

`atomic_steps` lets an interrupt wait until a step is done or undone; `turn` lets one thread at a time run contracts.
Imports nothing of the chain. Begin with `atomic_steps`.
"""
