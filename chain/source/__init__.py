"""Reading people's source without running it.

Parsed modules and their definitions (`modules`), which file and line something comes from (`location`), Python's scopes
(`local_names`, `global_names`), and everything that a contract reaches (`reachability`). The guard and metering both build
on it. Imports nothing of the chain. Begin with `modules`.
"""
