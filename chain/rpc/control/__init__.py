"""Control over a test chain: the `evm_…`, `anvil_…`, `hardhat_…` and `txpool_…` methods."""
