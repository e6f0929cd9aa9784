"""Methods that run something: transactions for good, calls and gas estimates to see what would happen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from chain.ledger.signing import encode_signed
from chain.machine.gas import CALL_STIPEND
from chain.machine.transaction import Transaction, TransactionResult
from chain.rpc.block_tags import (
    LATEST,
    PENDING,
    require_block,
    state_at,
)
from chain.rpc.control.txpool import apply
from chain.rpc.errors import failed, refused
from chain.rpc.eth.node_info import signing_account
from chain.rpc.hex_values import (
    data,
    quantity,
    to_address,
    to_bytes,
    to_int,
    to_object,
)
from chain.rpc.transaction_fields import (
    parse_fields,
    parse_signed,
)

if TYPE_CHECKING:
    from chain.ledger.blocks import Block
    from chain.machine.frame import Frame
    from chain.machine.state import State
    from chain.rpc.node import Node
    from chain.simulator.chain import Chain
    from chain.simulator.reader import ChainReader


# Sending


def send_transaction(node: Node, fields: Any) -> str:
    """Send from any account whose key the chain has. Without `gas` it gets what an estimate says it needs."""
    chain = node.chain
    tx = parse_fields(chain, fields, chain.pending)
    if not node.impersonates_all and tx.sender not in node.impersonated:
        signing_account(node, tx.sender)
    return _send(chain, fields, tx)


def send_unsigned(node: Node, fields: Any) -> str:
    """Send from any account, whoever has its key."""
    chain = node.chain
    return _send(chain, fields, parse_fields(chain, fields, chain.pending))


def _send(chain: Chain, fields: Any, tx: Transaction) -> str:
    if fields.get("gas") is None and tx.raw is None:
        tx.gas = _estimate(chain, tx, chain.pending)
    return data(apply(chain, tx).tx_hash)


def send_raw_transaction(node: Node, raw: Any) -> str:
    chain = node.chain
    tx = parse_signed(chain, to_bytes(raw, "the transaction"))
    return data(apply(chain, tx).tx_hash)


def sign_transaction(node: Node, fields: Any) -> dict[str, Any]:
    """A transaction as signed bytes, not sent."""
    chain = node.chain
    tx = parse_fields(chain, fields, chain.pending)
    raw = tx.raw or encode_signed(tx, chain.chain_id, signing_account(node, tx.sender))
    return {"raw": data(raw), "tx": fields}


# Looking ahead


def call(node: Node, fields: Any, block: Any = LATEST, overrides: Any = None) -> str:
    """Run a message at the end of a block and undo it: what it returns."""
    chain = node.chain
    there, where = imagined(chain, block, overrides)
    tx = parse_fields(chain, fields, where, there)
    seen = chain.view_block if where is chain.head else where
    frame = _look(there, tx, where, seen, limited=fields.get("gas") is not None)
    if frame.failure is not None:
        raise failed(frame.failure)
    return data(frame.output)


def _look(there: ChainReader, tx: Transaction, where: Block, seen: Block, limited: bool) -> Frame:
    if tx.to is None:
        return _rehearse(there, tx, where).frame
    gas = call_gas_limit(there, tx.to, tx.gas if limited else None, where)
    frame, _ = there.call(tx.to, tx.data, sender=tx.sender, value=tx.value, gas=gas, block=seen)
    return frame


def call_gas_limit(chain: ChainReader, to: bytes, gas: int | None, where: Block) -> int | None:
    """Nobody looks longer than a block lets them. If nobody says, a Python contract's gas has no end; its ticks have."""
    if gas is None and chain.machine.program_at(to) is not None:
        return None
    return min(where.gas_limit if gas is None else gas, where.gas_limit)


def estimate_gas(node: Node, fields: Any, block: Any = LATEST, overrides: Any = None) -> str:
    """The least gas with which a transaction does what it does with plenty. At the head, it is one of the next block."""
    chain = node.chain
    is_next = require_block(chain, block).number >= chain.head.number
    there, where = imagined(chain, PENDING if is_next else block, overrides)
    return quantity(_estimate(there, parse_fields(chain, fields, where, there), where))


def _estimate(chain: ChainReader, tx: Transaction, block: Block) -> int:
    plenty = min(tx.gas, block.gas_limit)
    outcome = _rehearse(chain, tx, block, plenty)
    failure = outcome.frame.failure
    if failure is not None and failure.kind == "out of gas":
        raise refused(f"gas required exceeds allowance ({plenty}): {failure.text}")
    if failure is not None:
        raise failed(failure)
    expected = _outcome_signature(outcome.frame)

    def is_enough(gas: int) -> bool:
        return _outcome_signature(_rehearse(chain, tx, block, gas).frame) == expected

    # What was used before any of it came back. A message keeps a 64th of its gas from those below it, so more may be needed.
    least = max(plenty - outcome.frame.gas, outcome.gas_used)
    return least if is_enough(least) else _search(is_enough, least, plenty)


def _rehearse(
    chain: ChainReader, tx: Transaction, block: Block, gas: int | None = None
) -> TransactionResult:
    """Run a transaction and undo it."""
    return chain.rehearse(*without_fees(chain, tx if gas is None else replace(tx, gas=gas), block))


def without_fees(chain: ChainReader, tx: Transaction, block: Block) -> tuple[Transaction, Block]:
    """The transaction, whatever its number, and its block, such that it costs nothing."""
    nonce = chain.state.account(tx.sender)[0]
    return replace(tx, nonce=nonce, max_fee=0, tip=0), replace(block, base_fee=0)


def _outcome_signature(frame: Frame) -> tuple[Any, ...]:
    """How a message and all those below it ended."""
    return (frame.failure is None, *map(_outcome_signature, frame.children))


def _search(is_enough: Callable[[int], bool], low: int, high: int) -> int:
    """The least number above `low`, which is too little, up to `high`, which is enough."""
    probe = min(high, low + low // 63 + CALL_STIPEND + 1)  # what one level of messages keeps back
    while low + 1 < high:
        if is_enough(probe):
            high = probe
        else:
            low = probe
        probe = (low + high) // 2
    return high


def imagined(
    chain: Chain, block: Any, overrides: Any, *, apart: bool = False
) -> tuple[ChainReader, Block]:
    """The chain at the end of a block, with accounts as a client wants to imagine them: `{address: {balance: …}}`."""
    changes = to_object(overrides or {}, "the state override")
    there, where = state_at(chain, block, apart=apart or bool(changes))
    for address, change in changes.items():
        override(there.state, to_address(address), to_object(change, "what is overridden"))
    if changes:
        there.state.close()
    return there, where


def override(state: State, address: bytes, change: Mapping[str, Any]) -> None:
    nonce, balance, code_hash = state.account(address)
    nonce = to_int(change.get("nonce", nonce), "the nonce")
    balance = to_int(change.get("balance", balance), "the balance")
    state.set_account(address, (nonce, balance, code_hash))
    if "code" in change:
        state.set_code(address, to_bytes(change["code"], "the code"))
    if "state" in change:
        state.delete_storage(address)
    words: dict[Any, Any] = {}
    for name in ("state", "stateDiff"):
        words |= to_object(change.get(name) or {}, f"'{name}'")
    for slot, word in words.items():
        state.set_word(address, to_int(slot, "a slot"), to_int(word, "a word"))
