"""Envelopes: transactions as signed bytes, the form in which Ethereum hashes and sends them (EIP-2718).

A transaction sent in process is a row of fields; it is signed with its sender's key when someone first asks for its hash.
The signature is the one that RFC 6979 fixes for key and content, so the hash is the same on every run. A sender without
a key (an impersonated account, a contract) has the filler signature r = its address, s = 1, parity 0: right in form, and
it says who it is. Types 0, 1 and 2 are read and written here; others are read by py-evm, and kept as they came in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from coincurve import PrivateKey, PublicKey

from chain.accounts import Account
from chain.crypto import rlp
from chain.crypto.hashing import keccak
from chain.errors import InvalidTransaction
from chain.ledger.file.paged_list import (
    Items,
    PagedList,
    is_stored,
)
from chain.ledger.receipts import Receipt
from chain.machine.transaction import Transaction

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

_FIELDS: Final = {
    0: ("nonce", "fee", "gas", "to", "value", "data"),
    1: ("chain id", "nonce", "fee", "gas", "to", "value", "data", "access list"),
    2: ("chain id", "nonce", "tip", "fee", "gas", "to", "value", "data", "access list"),
}
TYPES: Final = tuple(_FIELDS)
_SIGNATURE: Final = ("v", "r", "s")
_HIGHEST_S: Final = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0  # EIP-2
_V, _CHAIN_V = 27, 35  # the first v of a type 0 without a chain id, and with one (EIP-155)


class SignedTransactions:
    """The signed bytes and hashes of a ledger's transactions, and the way back from a hash."""

    def __init__(self, ledger: Ledger, keys: Mapping[bytes, Account]) -> None:
        self._ledger = ledger
        self._keys = keys
        self._hashes: Items[bytes | None] = []  # by position, as far as someone asked
        self._positions: dict[bytes, int] = {}
        self._indexed = 0  # all hashes up to here are known

    def bytes_of(self, receipt: Receipt) -> bytes:
        if receipt.raw is not None:
            return receipt.raw
        if receipt.type not in TYPES:
            raise ValueError(f"a transaction of type {receipt.type} must come in signed")
        return encode_signed(
            receipt, self._ledger.blocks.rules.chain_id, self._keys.get(receipt.sender)
        )

    def hash_of(self, receipt: Receipt) -> bytes:
        position, hashes = receipt.position, self._hashes
        if not self._ledger.receipts.holds(receipt):  # taken back: another may stand in its place
            return keccak(self.bytes_of(receipt))
        while position >= len(hashes):
            hashes.append(None)
        made = hashes[position]
        if made is None:
            made = keccak(self.bytes_of(receipt))
            self._positions[made] = position
            hashes[position] = made
        return made

    def find(self, tx_hash: bytes) -> Receipt | None:
        """The receipt of a transaction. A hash that was never given out has all others made first."""
        receipts = self._ledger.receipts
        if tx_hash not in self._positions:
            for position in range(self._indexed, len(receipts)):
                if is_stored(self._hashes, position):
                    self._positions[self._hashes[position] or b""] = position
                else:
                    self.hash_of(receipts[position])
            self._indexed = len(receipts)
        found = self._positions.get(tx_hash)
        return None if found is None else receipts[found]

    def restore(self, hashes: Sequence[bytes | None]) -> None:
        """Take these for the hashes of all transactions."""
        self._hashes = PagedList(hashes)

    def copy(
        self, ledger: Ledger, keys: Mapping[bytes, Account], length: int
    ) -> SignedTransactions:
        """What is known of the first so many transactions, for another ledger that begins with them."""
        made = SignedTransactions(ledger, keys)
        made._hashes = self._hashes[:length]
        made._positions = {known: i for i, known in enumerate(made._hashes) if known is not None}
        made._indexed = min(self._indexed, length)
        return made

    def cut(self, length: int) -> None:
        """Forget all but the first `length` transactions."""
        for made in self._hashes[length:]:
            if made is not None:
                self._positions.pop(made, None)
        del self._hashes[length:]
        self._indexed = min(self._indexed, length)


# Writing


def encode_signed(
    tx: Transaction | Receipt, chain_id: int | None, account: Account | None
) -> bytes:
    """The envelope of `tx`, signed with the key of `account`; without one, with the filler signature.

    Without a chain id, which only type 0 can be, the signature is good on every chain.
    """
    fields = _fields_of(tx, chain_id)
    if account is None:
        parity, r, s = 0, int.from_bytes(tx.sender), 1
    else:
        signature = sign(account.key, _signing_hash(tx.type, fields, chain_id))
        r, s, parity = (
            int.from_bytes(signature[:32]),
            int.from_bytes(signature[32:64]),
            signature[64],
        )
    if not tx.type:
        parity += _V if chain_id is None else _CHAIN_V + 2 * chain_id
    return _typed(tx.type, [*fields, parity, r, s])


def attach_signature(tx: Transaction, chain_id: int, v: int, r: int, s: int) -> bytes:
    """The envelope of `tx` with a signature that was made elsewhere."""
    return _typed(tx.type, [*_fields_of(tx, chain_id), v, r, s])


def _fields_of(tx: Transaction | Receipt, chain_id: int | None) -> list[rlp.Item]:
    """What is signed, in the order of its type."""
    values: dict[str, rlp.Item] = {
        "chain id": chain_id or 0, "nonce": tx.nonce, "tip": tx.tip, "fee": tx.max_fee, "gas": tx.gas, "to": tx.to or b"",
        "value": tx.value, "data": tx.data,
        "access list": [(address, [slot.to_bytes(32) for slot in slots]) for address, slots in tx.access_list],
    }  # fmt: skip
    return [values[name] for name in _FIELDS[tx.type]]


def _typed(kind: int, fields: Sequence[rlp.Item]) -> bytes:
    return bytes((kind,)) + rlp.encode(fields) if kind else rlp.encode(fields)


def _signing_hash(kind: int, fields: Sequence[rlp.Item], chain_id: int | None) -> bytes:
    """What a signature is made over. Types from 1 on have the chain id among their fields; 0 has it, or not, at the end."""
    tail = [chain_id, 0, 0] if kind == 0 and chain_id is not None else []
    return keccak(_typed(kind, [*fields, *tail]))


_signer = lru_cache(maxsize=256)(PrivateKey)


@lru_cache(maxsize=1024)
def sign(key: bytes, message: bytes) -> bytes:
    """r, s and parity. Kept a while, for the hash of a transaction is asked for before the block that holds it."""
    return _signer(key).sign_recoverable(message, hasher=None)


# Reading


def tx_type(raw: bytes) -> int:
    """The type of an envelope by its first byte; a list has none and is type 0."""
    return 0 if raw[:1] >= b"\xc0" else int.from_bytes(raw[:1])


def decode_signed(raw: bytes, chain_id: int) -> Transaction:
    """The transaction in a signed envelope of type 0, 1 or 2, its sender told from the signature.

    Ask `kind_of` first where types 3 and 4 may come: they are for py-evm to read.
    """
    kind = tx_type(raw)
    if kind not in TYPES or raw[:1] in (b"", b"\0"):
        raise InvalidTransaction(
            f"no transaction begins with 0x{raw[:1].hex()}: type 0 is a list, 1 and 2 have their number before it"
        )
    names = (*_FIELDS[kind], *_SIGNATURE)
    try:
        items = rlp.decode(raw[1:] if kind else raw)
    except rlp.BadRlp as wrong:
        raise InvalidTransaction(
            f"these bytes are no transaction of type {kind}: {wrong}"
        ) from None
    if isinstance(items, bytes) or len(items) != len(names):
        raise InvalidTransaction(
            f"a transaction of type {kind} is a list of {len(names)}: {', '.join(names)}"
        )
    return _read(kind, dict(zip(names, items, strict=True)), items[:-3], chain_id, raw)


def _read(
    kind: int,
    fields: dict[str, rlp.Decoded],
    unsigned: list[rlp.Decoded],
    chain_id: int,
    raw: bytes,
) -> Transaction:
    fee = _number("fee", fields["fee"])
    return Transaction(
        _sender(kind, unsigned, fields, chain_id), _receiver(fields["to"]), _bytes("data", fields["data"]),
        _number("value", fields["value"]), _number("gas", fields["gas"]), _number("nonce", fields["nonce"], 8),
        fee, _number("tip", fields.get("tip", fields["fee"])), kind, _access_list(fields.get("access list", [])), raw=raw,
    )  # fmt: skip


def _sender(
    kind: int, unsigned: list[rlp.Decoded], fields: dict[str, rlp.Decoded], chain_id: int
) -> bytes:
    """Who signed: the account of the public key that signature and content give together."""
    v, r, s = (_number(name, fields[name]) for name in _SIGNATURE)
    signed_for: int | None
    if kind:
        signed_for, parity = _number("chain id", fields["chain id"]), v
    elif v >= _CHAIN_V:
        signed_for, parity = divmod(v - _CHAIN_V, 2)
    else:
        signed_for, parity = None, v - _V
    if signed_for not in (None, chain_id):
        raise InvalidTransaction(f"it is signed for chain {signed_for}, this is chain {chain_id}")
    if parity not in (0, 1):
        known = "0 or 1" if kind else f"27 or 28, nor {_CHAIN_V + 2 * chain_id} or one more"
        raise InvalidTransaction(f"the v of its signature is {v}, not {known}")
    if s > _HIGHEST_S:
        raise InvalidTransaction("its signature has the higher s of two: EIP-2 asks for the lower")
    message = _signing_hash(kind, unsigned, signed_for)
    signature = r.to_bytes(32) + s.to_bytes(32) + bytes((parity,))
    try:
        key = PublicKey.from_signature_and_message(signature, message, hasher=None)
    except ValueError:
        raise InvalidTransaction("its signature is none: no key could have made it") from None
    return keccak(key.format(compressed=False)[1:])[12:]


def _bytes(name: str, item: rlp.Decoded) -> bytes:
    if isinstance(item, bytes):
        return item
    raise InvalidTransaction(f"its {name} is a list, not a string of bytes")


def _number(name: str, item: rlp.Decoded, size: int = 32) -> int:
    raw = _bytes(name, item)
    if len(raw) > size or raw[:1] == b"\0":
        raise InvalidTransaction(
            f"its {name} is no number: that takes at most {size} bytes and has no leading zeros"
        )
    return int.from_bytes(raw)


def _receiver(item: rlp.Decoded) -> bytes | None:
    to = _bytes("receiver", item)
    if len(to) not in (0, 20):
        raise InvalidTransaction(
            f"its receiver is {len(to)} bytes: an address has 20, the making of a contract none"
        )
    return to or None


def _access_list(item: Any) -> tuple[tuple[bytes, tuple[int, ...]], ...]:
    if not isinstance(item, list) or not all(map(_is_access, item)):
        raise InvalidTransaction(
            "its access list is not one of pairs, each an address of 20 bytes and a list of slots of 32"
        )
    return tuple([(address, tuple(map(int.from_bytes, slots))) for address, slots in item])


def _is_access(pair: Any) -> bool:
    match pair:
        case [bytes(address), list(slots)]:
            return len(address) == 20 and all(isinstance(s, bytes) and len(s) == 32 for s in slots)
    return False
