"""How Ethereum tools meet the chain: one table of JSON-RPC methods, and the roads that lead to it."""
