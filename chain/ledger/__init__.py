"""What happened: blocks, receipts, logs, hashes and roots, and the questions one can ask of them.

`ledger` appends and truncates, `receipts` and `event_log` answer, `headers` and `signing` make what other clients see.
Below it, `decoded/` tells it in the contracts' own words, `sql/` as tables, `file/` keeps it in a file. May import `runtime`,
`machine` and what is below them. Begin with `ledger`.
"""
