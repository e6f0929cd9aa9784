"""py-evm on our state: the executor of bytecode. The only package below `rpc` that imports `eth`.

Begin with `executor`.
"""
