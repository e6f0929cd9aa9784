"""Methods that run something: calls, gas estimates, transactions.

A client may leave out most of a transaction. What it does not say is filled in from the block it will run in: the next
nonce, all the gas there is, a fee that is sure to do. Who does not say who they are is the first account.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from chain.ledger.envelopes import TYPES, decode_raw, kind_of, seal
from chain.machine.gas import CALL_STIPEND
from chain.machine.transaction import Outcome, Transaction
from chain.rpc.about import key_holder
from chain.rpc.errors import bad_params, failed, refused
from chain.rpc.moments import LATEST, PENDING, need_block, state_at
from chain.rpc.values import data, quantity, to_address, to_bytes, to_hash, to_int, to_object

if TYPE_CHECKING:
    from chain.frame import Frame
    from chain.ledger.blocks import Block
    from chain.rpc.node import Node
    from chain.simulator import Chain

Fields = Mapping[str, Any]
FEES: Final = ("gasPrice", "maxFeePerGas", "maxPriorityFeePerGas")
_SIGNED_ONLY: Final = ("authorizationList", "blobVersionedHashes", "blobs")


# Sending


def send_transaction(node: Node, fields: Any) -> str:
    """Send from any account whose key the chain has. Without `gas` it gets what an estimate says it needs."""
    chain = node.chain
    tx = read_transaction(chain, fields, chain.pending)
    key_holder(node, tx.sender)
    if fields.get("gas") is None:
        tx.gas = _estimate(chain, tx, chain.pending)
    return data(chain.apply(tx).tx_hash)


def send_raw_transaction(node: Node, raw: Any) -> str:
    return data(
        node.chain.apply(read_envelope(node.chain, to_bytes(raw, "the transaction"))).tx_hash
    )


def sign_transaction(node: Node, fields: Any) -> dict[str, Any]:
    """A transaction as signed bytes, not sent."""
    chain = node.chain
    tx = read_transaction(chain, fields, chain.pending)
    return {"raw": data(seal(tx, chain.chain_id, key_holder(node, tx.sender))), "tx": fields}


def read_envelope(chain: Chain, raw: bytes) -> Transaction:
    """The transaction in signed bytes, of any type."""
    if kind_of(raw) in TYPES:
        return decode_raw(raw, chain.chain_id)
    tx: Transaction = import_module("chain.rpc.typed").decode_raw(raw, chain.chain_id)
    return tx


# Looking ahead


def call(node: Node, fields: Any, block: Any = LATEST, overrides: Any = None) -> str:
    """Run a message at the end of a block and undo it: what it returns."""
    chain = node.chain
    with state_at(chain, block) as where, _overridden(chain, overrides):
        tx = read_transaction(chain, fields, where)
        frame = _look(chain, tx, where, limited=fields.get("gas") is not None)
    if frame.failure is not None:
        raise failed(frame.failure)
    return data(frame.output)


def _look(chain: Chain, tx: Transaction, where: Block, limited: bool) -> Frame:
    """A Python contract may look as long as it likes, unless the client has set a limit."""
    if tx.to is None:
        return _rehearse(chain, tx, where).frame
    gas = tx.gas if limited or chain.machine.program_at(tx.to) is None else None
    block = None if where is chain.head else where
    frame, _ = chain.look(tx.to, tx.data, sender=tx.sender, value=tx.value, gas=gas, block=block)
    return frame


def estimate_gas(node: Node, fields: Any, block: Any = LATEST, overrides: Any = None) -> str:
    """The least gas with which a transaction does what it does with plenty. At the head, it is one of the next block."""
    chain = node.chain
    is_next = need_block(chain, block).number >= chain.head.number
    with state_at(chain, PENDING if is_next else block) as where, _overridden(chain, overrides):
        return quantity(_estimate(chain, read_transaction(chain, fields, where), where))


def _estimate(chain: Chain, tx: Transaction, block: Block) -> int:
    plenty = min(tx.gas, block.gas_limit)
    outcome = _rehearse(chain, tx, block, plenty)
    failure = outcome.frame.failure
    if failure is not None and failure.kind == "out of gas":
        raise refused(f"gas required exceeds allowance ({plenty}): {failure.text}")
    if failure is not None:
        raise failed(failure)
    expected = _shape(outcome.frame)

    def is_enough(gas: int) -> bool:
        return _shape(_rehearse(chain, tx, block, gas).frame) == expected

    # What was used before any of it came back. A message keeps a 64th of its gas from those below it, so more may be needed.
    least = max(plenty - outcome.frame.gas, outcome.gas_used)
    return least if is_enough(least) else _search(is_enough, least, plenty)


def _rehearse(chain: Chain, tx: Transaction, block: Block, gas: int | None = None) -> Outcome:
    """Run a transaction that costs nothing, whatever its number, and undo it."""
    nonce = chain.state.account(tx.sender)[0]
    free = replace(tx, gas=tx.gas if gas is None else gas, nonce=nonce, max_fee=0, tip=0)
    return chain.rehearse(free, replace(block, base_fee=0))


def _shape(frame: Frame) -> tuple[Any, ...]:
    """How a message and all those below it ended."""
    return (frame.failure is None, *map(_shape, frame.children))


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


@contextmanager
def _overridden(chain: Chain, overrides: Any) -> Iterator[None]:
    """Accounts as a client wants to imagine them: `{address: {balance, nonce, code, state, stateDiff}}`."""
    state = chain.state
    for key, change in (overrides or {}).items():
        address = to_address(key)
        nonce, balance, code_hash = state.account(address)
        if "nonce" in change:
            nonce = to_int(change["nonce"], "the nonce")
        if "balance" in change:
            balance = to_int(change["balance"], "the balance")
        state.set_account(address, (nonce, balance, code_hash))
        if "code" in change:
            state.set_code(address, to_bytes(change["code"], "the code"))
        if "state" in change:
            state.delete_storage(address)
        for slot, value in {**change.get("state", {}), **change.get("stateDiff", {})}.items():
            state.set_word(address, to_int(slot, "a slot"), to_int(value, "a word"))
    changes, _ = state.close()
    try:
        yield
    finally:
        state.take_back(changes)


# Reading


def read_transaction(chain: Chain, fields: Any, block: Block) -> Transaction:
    """A transaction as a client writes it, completed for `block`."""
    fields = to_object(fields, "the transaction")
    room = block.gas_limit - (block.gas_used if block is chain.ledger.open else 0)
    sender = (
        to_address(fields["from"], "'from'") if fields.get("from") else bytes(chain.accounts[0])
    )
    to = to_address(fields["to"], "'to'") if fields.get("to") else None
    chain_id = _number(fields, "chainId", chain.chain_id)
    if chain_id != chain.chain_id:
        raise refused(f"it is meant for chain {chain_id}, this is chain {chain.chain_id}")
    kind, max_fee, tip = _fees(fields, block.base_fee)
    return Transaction(
        sender, to, _input(fields), _number(fields, "value", 0),
        _number(fields, "gas", room),
        _number(fields, "nonce", chain.state.account(sender)[0]),
        max_fee, tip, kind, _access_list(fields.get("accessList")),
    )  # fmt: skip


def _number(fields: Fields, name: str, default: int) -> int:
    value = fields.get(name)
    return default if value is None else to_int(value, f"'{name}'")


def _input(fields: Fields) -> bytes:
    """The bytes of the call, by their new name or their old one."""
    written = [
        to_bytes(fields[name], f"'{name}'") for name in ("input", "data") if fields.get(name)
    ]
    if len(set(written)) > 1:
        raise bad_params("'input' and 'data' are the same thing, and these differ")
    return written[0] if written else b""


def _fees(fields: Fields, base_fee: int) -> tuple[int, int, int]:
    """The type, the most it pays for a unit of gas, and the tip in that."""
    named = [name for name in FEES if fields.get(name) is not None]
    price = fields.get("gasPrice")
    if price is not None and len(named) > 1:
        raise bad_params("say 'gasPrice', or 'maxFeePerGas' and 'maxPriorityFeePerGas', not both")
    guess = 2 if price is None else 0 if fields.get("accessList") is None else 1
    kind = _number(fields, "type", guess)
    if kind not in TYPES or any(fields.get(name) for name in _SIGNED_ONLY):
        raise bad_params("only types 0, 1 and 2 are signed here; send any other one signed")
    if (named and (price is None) != (kind == 2)) or (kind == 0 and fields.get("accessList")):
        raise bad_params(f"a transaction of type {kind} has no {', '.join(named) or 'accessList'}")
    if kind < 2:
        fee = _number(fields, "gasPrice", base_fee)
        return kind, fee, fee
    tip = _number(fields, "maxPriorityFeePerGas", 0)
    return kind, _number(fields, "maxFeePerGas", 2 * base_fee + tip), tip


def _access_list(items: Any) -> tuple[tuple[bytes, tuple[int, ...]], ...]:
    return tuple(map(_access, items or ()))


def _access(item: Any) -> tuple[bytes, tuple[int, ...]]:
    fields = to_object(item, "an entry of the access list")
    slots = (to_hash(slot, "a storage key") for slot in fields.get("storageKeys") or ())
    return to_address(fields.get("address")), tuple(map(int.from_bytes, slots))
