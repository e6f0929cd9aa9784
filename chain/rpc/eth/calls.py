"""Methods that run a transaction and undo it: calls, gas estimates, and runs that traces are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from chain.crypto.hashing import checksum_address
from chain.ledger.blocks import Block
from chain.machine.frame import Frame
from chain.machine.transaction import Transaction
from chain.rpc.block_tags import LATEST, PENDING, require_block, state_at
from chain.rpc.errors import bad_params, failed, refused
from chain.rpc.hex_values import data, quantity
from chain.rpc.node import JsonText, Node
from chain.rpc.overrides import BlockOverrides, StateOverrides
from chain.rpc.transaction_fields import FEES, parse_fields, parse_message
from chain.simulator.chain import Chain
from chain.simulator.gas_estimate import estimate_gas as estimate_gas_of
from chain.simulator.gas_estimate import without_fees
from chain.simulator.reader import ChainReader

_PAID: Final = frozenset({*FEES, "gas", "accessList"})
_MESSAGE: Final = frozenset({"from", "to", "input", "data", "value"})  # as in most calls


def call(
    node: Node,
    fields: Any,
    block: object = LATEST,
    overrides: object = None,
    block_overrides: object = None,
) -> str:
    """Run a message at the end of a block, undo it, and return its output. If its gas or a fee is named, they are paid."""
    reader, seen = imagined(node.chain, block, overrides, block_overrides, viewed=True)
    frame = _run(node.chain, reader, fields, seen)
    if frame.failure is not None:
        raise failed(frame.failure)
    return data(frame.output)


def call_text(
    node: Node,
    fields: Any,
    block: object = LATEST,
    overrides: object = None,
    block_overrides: object = None,
) -> JsonText:
    """Return the JSON text of `call`, made once while the chain stays as it is."""
    parameters = fields, block, overrides, block_overrides
    return JsonText(
        node.call_texts.text(
            node.chain.driver, repr(parameters), lambda: f'"{call(node, *parameters)}"'
        )
    )


def _run(chain: Chain, there: ChainReader, fields: Any, seen: Block) -> Frame:
    if type(fields) is dict and fields.keys() <= _MESSAGE and fields.get("to"):
        return _look(there, *parse_message(fields), seen)  # a transaction would say no more
    tx = parse_fields(chain, fields, seen, there, signs=False)
    is_paid = not _PAID.isdisjoint(fields) and any(fields.get(name) is not None for name in _PAID)
    if is_paid or tx.to is None or tx.type > 2:  # it creates an account, lends code or has blobs
        return there.rehearse(simulated(there, tx, seen, fields), seen).frame
    return _look(there, tx.sender, tx.to, tx.data, tx.value, seen)


def _look(
    there: ChainReader, sender: bytes, to: bytes, calldata: bytes, value: int, seen: Block
) -> Frame:
    """Run a message that pays no gas."""
    balance = there.state.account(sender)[1] if value else 0
    if balance < value:
        raise refused(
            f"insufficient funds for transfer: {checksum_address(sender)} has {balance} wei, not the {value} it sends"
        )
    gas = call_gas_limit(there, to, None, seen)
    frame, _ = there.call(to, calldata, sender=sender, value=value, gas=gas, block=seen)
    return frame


def call_gas_limit(chain: ChainReader, to: bytes, gas: int | None, where: Block) -> int | None:
    """Return the gas of a read-only call: at most the gas limit of a block.

    By default a call to a Python contract has no gas limit (None), only its limit of ticks.
    """
    if gas is None and chain.machine.program_at(to) is not None:
        return None
    most = where.gas_limit
    return most if gas is None or gas > most else gas


def estimate_gas(
    node: Node,
    fields: object,
    block: object = LATEST,
    overrides: object = None,
    block_overrides: object = None,
) -> str:
    """Return the least gas with which a transaction has the same outcome as with plenty, at the head in the next block."""
    chain = node.chain
    is_next = require_block(chain, block).number >= chain.head.number
    next_block = PENDING if is_next else block
    reader, target_block = imagined(chain, next_block, overrides, block_overrides)
    tx = parse_fields(chain, fields, target_block, reader, signs=False)
    return quantity(needed_gas(reader, tx, target_block))


def needed_gas(chain: ChainReader, tx: Transaction, block: Block) -> int:
    gas, failure = estimate_gas_of(chain, tx, block)
    if failure is not None and failure.kind == "out of gas":
        raise refused(f"gas required exceeds allowance ({gas}): {failure.text}")
    if failure is not None:
        raise failed(failure)
    return gas


def simulated(
    there: ChainReader, tx: Transaction, block: Block, fields: Mapping[str, object]
) -> Transaction:
    """Return a transaction that is not sent: it pays only fees that the client names, and has at most the gas of a block."""
    free = without_fees(there, tx, min(tx.gas, block.max_transaction_gas))
    if all(fields.get(name) is None for name in FEES):
        return free
    return free._replace(max_fee=tx.max_fee, tip=tx.tip, is_free=not tx.max_fee and not tx.tip)


def imagined(
    chain: Chain,
    block: object,
    overrides: object,
    block_overrides: object = None,
    *,
    apart: bool = False,
    viewed: bool = False,
) -> tuple[ChainReader, Block]:
    """Return a reader of the chain at the end of a block, and that block, both with the client's overrides.

    With `apart` the state is separate even if there are no overrides. With `viewed` the last block has the present time.
    """
    accounts = StateOverrides.read(overrides) if overrides is not None else None
    fields = BlockOverrides.read(block_overrides) if block_overrides is not None else None
    if fields is not None and fields.withdrawals:
        raise bad_params(
            "'withdrawals' happen at the end of a block, which this call does not reach"
        )
    reader, target = state_at(chain, block, apart=apart or bool(accounts or fields))
    if viewed and target is chain.ledger.blocks.head:
        target = chain.driver.view_block()
    if not accounts and not fields:
        return reader, target
    accounts, fields = accounts or StateOverrides.read(None), fields or BlockOverrides()
    fork = accounts.apply(reader.state, target.fork)
    reader.state.close()
    reader.machine.block_hash = lambda number: _known_hash(chain, number)
    return reader, fields.apply(target, fork)


def _known_hash(chain: Chain, number: int) -> bytes:
    """Return the hash of a block, zero if there is no such block: an override may set a higher number."""
    return chain.ledger.block_hash(number) if number <= chain.head.number else bytes(32)
