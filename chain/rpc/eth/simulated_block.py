"""Simulated blocks, one after the other: the calls run, the header is made, and the block is formatted like a real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Final

from chain.errors import InvalidTransaction, Unfit
from chain.ledger.blocks import Block, change_block
from chain.ledger.headers import Header, encode_block, make_header
from chain.ledger.receipts import Receipt, receipt_row
from chain.ledger.reexecution import recording_machine
from chain.ledger.signing import attach_signature
from chain.ledger.state_trie import StateTrie
from chain.machine.gas import PER_BLOB, TRANSACTION
from chain.machine.hardforks import Fork
from chain.machine.transaction import Transaction
from chain.rpc import errors
from chain.rpc.errors import RpcError
from chain.rpc.eth.simulated_calls import SimulatedCall
from chain.rpc.hex_values import data, quantity, to_int, to_object
from chain.rpc.json_format import Json, header_json, transaction_json
from chain.rpc.overrides import BlockOverrides, StateOverrides
from chain.rpc.transaction_fields import parse_fields
from chain.simulator.chain import Chain
from chain.simulator.predeployed import has_history, write_parent_hash
from chain.simulator.reader import ChainReader

_NOBODY: Final = bytes(20)  # the sender by default
_MOST_GAS: Final = 2**30  # of all calls of a request together
_DEFAULT_GAS: Final = 50_000_000  # the most gas for a call that names none, as in geth
_CODES: Final = {
    Unfit.NONCE_TOO_LOW: errors.NONCE_TOO_LOW,
    Unfit.NONCE_TOO_HIGH: errors.NONCE_TOO_HIGH,
    Unfit.FEE_TOO_LOW: errors.FEE_TOO_LOW,
    Unfit.GAS_TOO_LOW: errors.GAS_TOO_LOW,
    Unfit.NO_FUNDS: errors.NO_FUNDS,
    Unfit.SENDER_IS_CONTRACT: errors.NO_EOA,
    Unfit.INITCODE_TOO_LARGE: errors.INITCODE_TOO_LARGE,
}


class Simulation:
    """Blocks on top of the block `base`, on the state of `there`, which is thrown away."""

    def __init__(
        self, chain: Chain, there: ChainReader, base: Block, *, validates: bool, traces: bool, shows_all: bool
    ) -> None:  # fmt: skip
        self._chain, self._there, self._base, self._parent = chain, there, base, base
        self._validates, self._shows_all = validates, shows_all
        self._trie = _trie_of(there, base)
        self._hashes = {base.number: _hash_of(there, base, self._trie)}
        self._gas_left = _MOST_GAS
        self._machine = recording_machine(there.ledger) if traces else there.machine
        self._machine.loaded = there.machine.loaded
        self._machine.block_hash = self._block_hash

    def _block_hash(self, number: int) -> bytes:
        return self._hashes.get(number) or self._there.ledger.block_hash(number)

    def add(self, wish: BlockOverrides, accounts: StateOverrides, calls: Sequence[object]) -> Json:
        """Run a block on top of the last one, and return it."""
        state = self._there.state
        fork = accounts.apply(state, self._base.fork)
        block = self._begin(wish, fork)
        if has_history(state):
            write_parent_hash(state, block.number, self._block_hash)
        changes = [state.close()[0]]
        done: list[SimulatedCall] = []
        for fields in calls:
            done.append(self._call(block, to_object(fields, "a call"), len(done)))
            changes.append(done[-1].receipt.changes)
        for withdrawal in wish.withdrawals:
            state.add_balance(withdrawal.address, withdrawal.wei)
        changes.append(state.close()[0])
        self._trie = self._trie.apply(changes)
        parent_hash, self._parent = self._hashes[self._parent.number], block
        receipts = [each.receipt for each in done]
        withdrawn = [withdrawal.encoded for withdrawal in wish.withdrawals]
        header = make_header(block, parent_hash, self._trie.root, receipts, withdrawn)
        self._hashes[block.number] = header.hash
        return self._show(header, done, wish)

    def _begin(self, wish: BlockOverrides, fork: Fork) -> Block:
        """Return the block after the last one, without calls. Without validation, gas and blobs cost nothing in it."""
        limit = self._parent.gas_limit
        parent = self._parent.with_fields(rules=replace(self._base.rules, gas_limit=limit))
        following = parent.with_fields(
            base_fee=parent.next_base_fee if self._validates else 0,
            forced_prevrandao=0,
            gas_used=0,
            blob_gas_used=0,
            excess_blob_gas=parent.next_excess_blob_gas,
        )
        if wish.blob_base_fee is None and not self._validates:
            wish = replace(wish, blob_base_fee=0)
        return wish.apply(following, fork)

    # Calls

    def _call(self, block: Block, fields: Mapping[str, object], index: int) -> SimulatedCall:
        """Run a call in the block."""
        tx = self._transaction(block, fields)
        run = tx
        if not self._validates:
            nonce = self._there.state.account(tx.sender)[0]
            run = tx._replace(nonce=nonce, is_free=not tx.max_fee and not tx.tip)
        try:
            outcome = self._machine.transact(run, block)
        except InvalidTransaction as error:
            code = errors.REFUSED if error.reason is None else _CODES[error.reason]
            raise RpcError(code, str(error)) from None
        blob_gas = len(outcome.context.blob_versioned_hashes) * PER_BLOB
        change_block(
            block,
            gas_used=block.gas_used + outcome.gas_used,
            blob_gas_used=block.blob_gas_used + blob_gas,
        )
        self._gas_left -= outcome.gas_used
        most_blobs = block.fork.blobs.max
        if block.blob_gas_used > most_blobs * PER_BLOB:
            raise RpcError(errors.BLOCK_FULL, f"a block has room for {most_blobs} blobs")
        if tx.raw is None:
            tx = tx._replace(raw=attach_signature(tx, block.chain_id, 0, 0, 0))
        ledger = self._there.ledger
        row = receipt_row(tx, outcome, block.number, index, len(ledger.receipts) + index)
        return SimulatedCall(Receipt(ledger, row), tx.gas - outcome.frame.gas, outcome.frame)

    def _transaction(self, block: Block, fields: Mapping[str, object]) -> Transaction:
        """Return the transaction of a call. The default sender is the zero address, the default gas all that is left."""
        room = block.gas_limit - block.gas_used
        given = {name: value for name, value in fields.items() if value is not None}
        gas = to_int(
            given.get("gas", min(room, block.max_transaction_gas, self._gas_left, _DEFAULT_GAS)),
            "'gas'",
        )
        if gas > room:
            raise RpcError(
                errors.BLOCK_FULL, f"the call has {gas} gas, and its block room for {room}"
            )
        if gas > self._gas_left or self._gas_left < TRANSACTION:
            raise RpcError(errors.OVER_LIMIT, f"all calls together use at most {_MOST_GAS} gas")
        free_block = block.with_fields(base_fee=0)  # so that a missing fee is zero
        return parse_fields(
            self._chain,
            {"from": _NOBODY, **given, "gas": gas},
            free_block,
            self._there,
            signs=False,
        )

    # Answers

    def _show(self, header: Header, done: Sequence[SimulatedCall], wish: BlockOverrides) -> Json:
        ledger, block_hash = self._there.ledger, header.hash
        block = {
            "blockHash": data(block_hash),
            "blockNumber": quantity(header.number),
            "blockTimestamp": quantity(header.timestamp),
        }
        places = [{**block, "transactionIndex": quantity(index)} for index in range(len(done))]
        envelopes = [ledger.envelope_of(each.receipt) for each in done]
        withdrawn = [withdrawal.encoded for withdrawal in wish.withdrawals]
        log_numbers = count()
        return {
            **header_json(header, block_hash),
            "size": quantity(len(encode_block(header, envelopes, withdrawn))),
            "transactions": [
                transaction_json(ledger, each.receipt, place)
                if self._shows_all
                else data(each.receipt.tx_hash)
                for each, place in zip(done, places, strict=True)
            ],
            "uncles": [],
            "withdrawals": [withdrawal.json for withdrawal in wish.withdrawals],
            "calls": [
                each.json(place, log_numbers) for each, place in zip(done, places, strict=True)
            ],
        }


def _trie_of(there: ChainReader, base: Block) -> StateTrie:
    """Return the accounts and words of `there`, which is at the end of the block `base` or somewhat later."""
    ledger = there.ledger
    last = ledger.blocks[min(base.number, ledger.blocks.head.number)]
    later = ledger.timeline[last.end_timeline_index : there.timeline_index]
    return ledger.world(last.number).apply(later)


def _hash_of(there: ChainReader, base: Block, trie: StateTrie) -> bytes:
    """Return the hash of a block; for a pending one, the hash that it would have now."""
    ledger = there.ledger
    head = ledger.blocks.head.number
    if base.number <= head:
        return ledger.block_hash(base.number)
    receipts = ledger.receipts[base.first_receipt :]
    return make_header(base, ledger.block_hash(head), trie.root, receipts).hash
