"""The `eth_…`, `net_…` and `web3_…` methods."""
