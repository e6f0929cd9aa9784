"""A node for others: JSON-RPC over HTTP and WebSocket, on one port, in one process and one thread.

Requests are answered in the order they come, each whole before the next: the chain is never seen half way. Who may ask is
decided by the names in the request (`guests`), how much by `chain.rpc.limits`. Nothing that arrives can name a file or a
module.
"""
