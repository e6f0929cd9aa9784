"""A node for other processes: JSON-RPC over HTTP and WebSocket, on one port and in one thread.

Requests are answered in the order of arrival, each to its end before the next, so no client sees a half-changed chain. Only
requests that run contracts for long continue in a copy of the process while others are answered (`request_runner`, `worker`).
`access` decides by the names in the request which clients are allowed, `chain.rpc.limits` limits their requests. No request
can name a file or a module.
"""
