"""The record of a chain: blocks, receipts, logs, hashes and roots, and the queries over them.

`ledger` appends and truncates, `receipts` and `event_log` answer queries, `headers` and `signing` produce the bytes that
other clients see. Below it, `decoded/` describes the record in the contracts' own terms, `sql/` as tables, and `file/` stores
it in a file. The parts of a ledger name what they need of it as protocols: `Changing` (in `timeline`), `Contracts` (in
`known_contracts`), `Decoding` (in `logs`) and `Record` (in `receipts`). May import `runtime`, `machine` and what is below
them. Begin with `ledger`.
"""
