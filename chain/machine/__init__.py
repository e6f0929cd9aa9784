"""The state transition: accounts, words and the journal, gas, and the execution of transactions.

A transaction and its messages take one road, `machine`. The code of a message is a Python contract (`dispatch`), or bytecode,
which py-evm runs (`evm/`). May import `metering`, `spec` and what is below them.
Begin with `machine`, then `frame` and `dispatch`.
"""
