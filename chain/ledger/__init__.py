"""The record of a chain: blocks, receipts, logs, hashes and roots, and the queries over them.

`ledger` appends and truncates, `queries` are asked of the tables in `store`, `headers` and `signing` produce the bytes that
other clients see. Below it, `decoded/` describes the record in the contracts' own terms, `sql/` as tables, and `file/` stores
it in a file. May import `runtime`, `machine` and what is below them. Begin with `ledger`, then `store`.
"""
