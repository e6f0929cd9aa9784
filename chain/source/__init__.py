"""Reading the source of contracts without running it.

Parsed modules and their definitions (`modules`), the file and line of a definition (`location`) and of a failure
(`failure_line`), Python's scopes (`local_names`, `global_names`), and everything that a contract reaches (`reachability`).
The guard and metering both build on it. It imports nothing else of the chain. Start with `modules`.
"""
