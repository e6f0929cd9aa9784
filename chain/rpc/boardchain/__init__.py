"""The methods that only this chain has, `chain_…`: what happened in the words of the contracts, as plain JSON in and out.

Everything of `Chain` can be asked over the wire: what is there, what happened, what would happen, what it was before.

    chain_contracts()                    those that stand on the chain: name, label, address, abi, digest
    chain_programs()                     those that can be deployed: name, class, abi, bytecode, digest
    chain_reload()                       take up the node's package as it is now: the contracts that are new
    chain_accounts(), chain_account(name)   whose key the chain has; the one of a name, made if need be
    chain_receipts(filter)               by sender, to, address, contract, entry, ok, fromBlock, toBlock; limit, backwards
    chain_receipt(hash or position)      one receipt, decoded: args, result, error, logs, events, writes, what was undone
    chain_events(name, filter)           by where: {field: value}, contract, fromBlock, toBlock; limit, backwards
    chain_trace(hash or position)        the tree of its messages, with their steps and as text
    chain_traceLook(fields, block)       the same of a transaction that is not sent
    chain_transcript(since)              what happened, to be read
    chain_sql(question, values)          {columns, rows}; read only, bounded in work and size
    chain_worlds()                       the worlds, with their systems and models
    chain_model(world, model, keys, block), chain_models(world, model, block), chain_modelHistory(world, model, keys)
    chain_fields(contract, block)        a contract's own storage, by name
    chain_send(fields)                   send, and get the receipt: {from, to, data}, {from, to, entry, args}, {contract, args}
    chain_look(fields, block)            what that would do, or what a view sees; an entry by its name or its signature
    chain_now(), chain_advance(seconds), chain_setTime(timestamp), chain_mine(n)
    chain_load(outcomes), chain_unload() what self.random draws next, by tag

Values are written as in exports: an Enum is its name, an address its checksum text, bytes are hex, a whole number that
JavaScript cannot hold (beyond 2**53) is its decimal digits. In a filter, and wherever an account or contract is named, its
name does as well as its address.
"""
