"""A node for others: JSON-RPC over HTTP and WebSocket, on one port and in one thread, with copies for what takes long.

Requests are answered in the order they come, each whole before the next: the chain is never seen half way. Only what runs
contracts for long goes on in a copy of the process while others are answered (`runner`, `worker`). Who may ask is decided by
the names in the request (`guests`), how much by `chain.rpc.limits`. Nothing that arrives can name a file or a module.
"""
