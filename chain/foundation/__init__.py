"""The foundation of all other packages: atomic steps, turns of threads, sealed objects, hooks.

`atomic_steps` makes every change complete or undone; `turn` lets one thread at a time run contracts. Imports nothing of the
chain. Begin with `atomic_steps`.
"""
