"""The methods that only this chain has, `chain_…`: calls, receipts and state by the names in contracts, as plain JSON.

All of `Chain` is available over the wire: present state, history, read-only calls, and the state at earlier blocks.

    chain_contracts()                    deployed contracts: name, label, address, abi, digest
    chain_programs()                     deployable contracts: name, class, abi, bytecode, digest
    chain_reload()                       import the node's package again; the contracts that are new
    chain_accounts(), chain_account(name)   the accounts whose keys the chain has; one by name, created if need be
    chain_receipts(filter)               by sender, to, address, contract, entry, ok, fromBlock, toBlock
    chain_receipt(hash or position)      one decoded receipt: args, result, error, logs, events, writes, undone logs and writes
    chain_events(name, filter)           by where: {field: value}, contract, fromBlock, toBlock; without a name, all
    chain_subscribe("receipts", filter)  over a WebSocket: new receipts, each as a `chain_subscription`
    chain_trace(hash or position)        the tree of its messages, with their steps and as text
    chain_traceLook(fields, block)       the same for a transaction that is not sent
    chain_activity(since)                what happened, as text
    chain_sql(question, values, exact)   {columns, rows}; read only, bounded in work and size; exact: all integers are numbers
    chain_worlds()                       the worlds, with their systems and models
    chain_model(world, model, keys, block), chain_models(world, model, block), chain_modelHistory(world, model, keys)
    chain_fields(contract, block)        a contract's own storage, by name
    chain_fieldHistory(contract, field, keys)   the value of a field after each change; keys select an item
    chain_send(fields)                   send, and get the receipt: {from, to, data}, {from, to, entry, args}, {contract, args}
    chain_look(fields, block)            a read-only call, also of a view; an entry by its name or its signature
    chain_now(), chain_advance(seconds), chain_setTime(timestamp), chain_mine(n)
    chain_setExcessBlobGas(number)       of the next block, which sets the price of its blobs
    chain_load(outcomes), chain_unload() the next draws of self.random, by tag
    chain_head(mark, counts), chain_rows(mark, kind, first), chain_table(mark, part, question, values),
    chain_transact(mark, counts, fields) for `Chain.connect`, in MessagePack: what is new, rows, queries, sending

Values are written as in exports: an Enum is its name, an address its checksum text, bytes are hex, an integer that JavaScript
cannot hold (from 2**53 on) is its decimal digits. A filter may have `limit` and `backwards`, or `before`: a position, before
which the matches are listed newest first. In a filter, and wherever a parameter is an account or a contract, its name works
as well as its address.
"""
