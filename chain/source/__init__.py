"""Reading the source of contracts without running it.

Parsed modules and their definitions (`modules`), the file and line that a thing comes from (`location`), Python's scopes
(`local_names`, `global_names`), and everything that a contract reaches (`reachability`). The guard and metering both build
on it. It imports nothing else of the chain. Start with `modules`.
"""
