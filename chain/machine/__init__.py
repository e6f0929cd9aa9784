"""The state transition: accounts, words and the journal, gas, and the execution of transactions.

A transaction to a Python contract is run by the direct executor (`machine`), anything else by py-evm (`evm/`), both on one
`state`. May import `metering`, `spec` and what is below them. Begin with `machine`, then `frame` and `dispatch`.
"""
