"""The JSON-RPC interface for Ethereum tools: one table of methods, and the servers that use it.

`methods` is the table. `eth/`, `control/`, `debug/`, `trace/` and `chain/` hold the methods by namespace. `server/` speaks
HTTP and WebSocket; `web3_provider` and `eth_tester_backend` work in process. May import `simulator` and the packages below it.
Apart from `machine/evm`, this is the only package that imports `eth`, `eth_tester` or `web3`. Begin with `methods`, then
`node`.
"""
