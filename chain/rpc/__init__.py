"""How Ethereum tools meet the chain: one table of JSON-RPC methods, and what serves it.

`methods` is the table; `eth/`, `control/`, `debug/` and `boardchain/` have the methods by namespace; `server/` speaks HTTP
and WebSocket, `web3_provider` and `tester` work in process. May import `simulator` and what is below it. The only package
but `machine/evm` that imports `eth`, `eth_tester` or `web3`. Begin with `methods`, then `node`.
"""
