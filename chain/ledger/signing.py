"""Envelopes: transactions as signed bytes, the form in which Ethereum hashes and sends them (EIP-2718).

A transaction sent in process is a row of fields; it is signed with its sender's key when its hash is first needed. The
signature is deterministic (RFC 6979), so the hash is the same on every run. A sender without a key (an impersonated account,
a contract) gets a filler signature: r = its address, s = 1, parity 0. This is well-formed and names the sender. Types 0, 1
and 2 are encoded and decoded here; other types are decoded by py-evm, and their bytes are stored as received.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from chain.crypto import rlp
from chain.crypto.accounts import Account
from chain.crypto.hashing import keccak
from chain.crypto.signatures import curve, recover
from chain.errors import InvalidTransaction
from chain.ledger.receipt_log import ReceiptLog
from chain.ledger.receipts import Receipt, ReceiptRow
from chain.machine.transaction import Transaction

_FIELDS: Final = {
    0: ("nonce", "fee", "gas", "to", "value", "data"),
    1: ("chain id", "nonce", "fee", "gas", "to", "value", "data", "access list"),
    2: ("chain id", "nonce", "tip", "fee", "gas", "to", "value", "data", "access list"),
}
TYPES: Final = tuple(_FIELDS)
_SIGNATURE: Final = ("v", "r", "s")
_HIGHEST_S: Final = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0  # EIP-2
_V, _CHAIN_V = 27, 35  # the lowest v of type 0 without a chain id, and with one (EIP-155)


class SignedTransactions:
    """The signed bytes and hashes of a ledger's transactions, and the lookup by hash."""

    def __init__(self, receipts: ReceiptLog, chain_id: int, keys: Mapping[bytes, Account]) -> None:
        self._receipts, self._chain_id, self._keys = receipts, chain_id, keys
        self._stored: Sequence[bytes] = ()  # the hashes in a file
        self._stored_count = 0
        self._hashes: dict[int, bytes] = {}  # the others that were computed, by position
        self._positions: dict[bytes, int] = {}
        self._indexed = 0  # the hashes of this many first transactions are known
        # The last receipt row and its envelope, which the hash of its block needs soon after its own.
        self._latest: tuple[ReceiptRow | None, bytes] = None, b""

    def bytes_of(self, receipt: Receipt) -> bytes:
        row, raw = self._latest
        if row is not receipt.row:
            raw = self._encode(receipt)
            self._latest = receipt.row, raw
        return raw

    def _encode(self, receipt: Receipt) -> bytes:
        row = receipt.row
        if row.raw is not None:
            return row.raw
        if row.type not in TYPES:
            raise ValueError(f"a transaction of type {row.type} must be sent signed")
        return encode_signed(receipt, self._chain_id, self._keys.get(row.sender))

    def hash_of(self, receipt: Receipt) -> bytes:
        if not self._receipts.contains(receipt):  # undone: another may have its position
            return keccak(self.bytes_of(receipt))
        position, hashes = receipt.row.position, self._hashes
        if position < self._stored_count:
            return self._stored[position]
        tx_hash = hashes.get(position)
        if tx_hash is None:
            tx_hash = keccak(self.bytes_of(receipt))
            self._positions[tx_hash] = position
            hashes[position] = tx_hash
        return tx_hash

    def find(self, tx_hash: bytes) -> Receipt | None:
        """Return the receipt of the transaction with that hash, or None. An unknown hash causes all hashes to be computed."""
        receipts, positions = self._receipts, self._positions
        while tx_hash not in positions and self._indexed < len(receipts):
            positions[self.hash_of(receipts[self._indexed])] = self._indexed
            self._indexed += 1
        return receipts[positions[tx_hash]] if tx_hash in positions else None

    def restore(self, hashes: Sequence[bytes]) -> None:
        """Use these as the hashes of the first transactions."""
        self._stored, self._stored_count = hashes, len(hashes)

    def copy(
        self, receipts: ReceiptLog, keys: Mapping[bytes, Account], length: int
    ) -> SignedTransactions:
        """Return a copy for another ledger, which begins with the first `length` transactions of this one."""
        transactions = SignedTransactions(receipts, self._chain_id, keys)
        transactions._stored = self._stored
        transactions._stored_count = min(self._stored_count, length)
        transactions._hashes = {i: tx_hash for i, tx_hash in self._hashes.items() if i < length}
        transactions._positions = {
            tx_hash: i for tx_hash, i in self._positions.items() if i < length
        }
        transactions._indexed = min(self._indexed, length)
        return transactions

    def truncate(self, length: int) -> None:
        """Forget all but the first `length` transactions."""
        for position in range(length, len(self._receipts) if self._hashes else 0):
            tx_hash = self._hashes.pop(position, None)
            if tx_hash is not None:
                self._positions.pop(tx_hash, None)
        if length < self._indexed:
            for position in range(length, self._stored_count):
                self._positions.pop(self._stored[position], None)
        self._stored_count = min(self._stored_count, length)
        self._indexed = min(self._indexed, length)


# Writing


def encode_signed(
    tx: Transaction | Receipt, chain_id: int | None, account: Account | None
) -> bytes:
    """Return the envelope of `tx`, signed with the key of `account`; without an account, with the filler signature.

    Without a chain id, which only type 0 allows, the signature is valid on every chain.
    """
    fields = _fields_of(tx, chain_id)
    if account is None:
        v, r, s = 0, int.from_bytes(tx.sender), 1
    else:
        signature = sign(account.key, _signing_hash(tx.type, fields, chain_id))
        r, s, v = int.from_bytes(signature[:32]), int.from_bytes(signature[32:64]), signature[64]
    if not tx.type:
        v += _V if chain_id is None else _CHAIN_V + 2 * chain_id
    return _with_signature(tx.type, fields, v, r, s)


def attach_signature(tx: Transaction, chain_id: int, v: int, r: int, s: int) -> bytes:
    """Return the envelope of `tx` with a signature that was made elsewhere."""
    return _with_signature(tx.type, _fields_of(tx, chain_id), v, r, s)


def _fields_of(tx: Transaction | Receipt, chain_id: int | None) -> bytes:
    """Return the signed fields, each encoded, in the order of the transaction's type."""
    number, known = rlp.number, rlp.known_number
    asked = tx.row if isinstance(tx, Receipt) else tx
    first, last = b"", b""
    if asked.type:
        first, last = known(chain_id or 0), _encode_access_list(asked.access_list)
    return b"".join((
        first, number(asked.nonce), known(asked.tip) if asked.type == 2 else b"", known(asked.max_fee),
        known(asked.gas), rlp.encode(asked.to or b""), number(asked.value), rlp.encode(asked.data), last,
    ))  # fmt: skip


def _encode_access_list(access_list: Sequence[tuple[bytes, Sequence[int]]]) -> bytes:
    if not access_list:
        return b"\xc0"
    return rlp.encode(
        [(address, [slot.to_bytes(32) for slot in slots]) for address, slots in access_list]
    )


def _with_signature(kind: int, fields: bytes, v: int, r: int, s: int) -> bytes:
    return _typed(kind, fields + rlp.number(v) + rlp.number(r) + rlp.number(s))


def _typed(kind: int, fields: bytes) -> bytes:
    return bytes((kind,)) + rlp.wrap(fields) if kind else rlp.wrap(fields)


def _signing_hash(kind: int, fields: bytes, chain_id: int | None) -> bytes:
    """Return the hash to sign. From type 1 on the chain id is one of the fields; type 0 may have it at the end."""
    if kind == 0 and chain_id is not None:
        fields += rlp.number(chain_id) + rlp.EMPTY + rlp.EMPTY
    return keccak(_typed(kind, fields))


@lru_cache(maxsize=1024)
def sign(key: bytes, message: bytes) -> bytes:
    """Return r, s and parity. Cached, because a transaction's hash is often requested again when its block is hashed."""
    return curve().sign(key, message)


# Reading


def tx_type(raw: bytes) -> int:
    """Return the type of an envelope, its first byte; an envelope that begins with a list is type 0."""
    return 0 if raw[:1] >= b"\xc0" else int.from_bytes(raw[:1])


def decode_signed(raw: bytes, chain_id: int) -> Transaction:
    """Return the transaction in a signed envelope of type 0, 1 or 2; the sender is recovered from the signature.

    Check `tx_type` first if the envelope may have type 3 or 4: py-evm decodes those.
    """
    transaction_type = tx_type(raw)
    if transaction_type not in TYPES or raw[:1] in (b"", b"\0"):
        raise InvalidTransaction(
            f"transaction type not supported: none begins with 0x{raw[:1].hex()};"
            " type 0 is a list, 1 and 2 begin with their number"
        )
    names = (*_FIELDS[transaction_type], *_SIGNATURE)
    try:
        items = rlp.decode(raw[1:] if transaction_type else raw)
    except rlp.BadRlp as error:
        raise InvalidTransaction(
            f"these bytes are not a transaction of type {transaction_type}: {error}"
        ) from None
    if isinstance(items, bytes) or len(items) != len(names):
        raise InvalidTransaction(
            f"a transaction of type {transaction_type} is a list of {len(names)}: {', '.join(names)}"
        )
    return _read(transaction_type, dict(zip(names, items, strict=True)), items[:-3], chain_id, raw)


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
    """Return the sender: the account of the public key that is recovered from the signature and the content."""
    v, r, s = (_number(name, fields[name]) for name in _SIGNATURE)
    signed_for: int | None
    if kind:
        signed_for, parity = _number("chain id", fields["chain id"]), v
    elif v >= _CHAIN_V:
        signed_for, parity = divmod(v - _CHAIN_V, 2)
    else:
        signed_for, parity = None, v - _V
    if signed_for not in (None, chain_id):
        raise wrong_chain(signed_for, chain_id)
    if parity not in (0, 1):
        expected = "0 or 1" if kind else f"27 or 28, nor {_CHAIN_V + 2 * chain_id} or one more"
        raise InvalidTransaction(
            f"invalid transaction v, r, s values: its v is {v}, not {expected}"
        )
    if s > _HIGHEST_S:
        raise InvalidTransaction(
            "invalid transaction v, r, s values: its s is the higher of two, EIP-2 asks for the lower"
        )
    message = _signing_hash(kind, b"".join(map(rlp.encode, unsigned)), signed_for)
    signature = r.to_bytes(32) + s.to_bytes(32) + bytes((parity,))
    sender = recover(message, signature)
    if sender is None:
        raise InvalidTransaction(
            "invalid transaction v, r, s values: no key could have made its signature"
        )
    return sender


def wrong_chain(signed_for: int | None, chain_id: int) -> InvalidTransaction:
    """Return the refusal of a transaction that is signed for another chain."""
    return InvalidTransaction(
        f"invalid chain id for signer: it is signed for chain {signed_for}, this is chain {chain_id}"
    )


def _bytes(name: str, item: rlp.Decoded) -> bytes:
    if isinstance(item, bytes):
        return item
    raise InvalidTransaction(f"its {name} is a list, not a string of bytes")


def _number(name: str, item: rlp.Decoded, size: int = 32) -> int:
    raw = _bytes(name, item)
    if len(raw) > size or raw[:1] == b"\0":
        raise InvalidTransaction(
            f"its {name} is not a number: a number has at most {size} bytes and no leading zeros"
        )
    return int.from_bytes(raw)


def _receiver(item: rlp.Decoded) -> bytes | None:
    to = _bytes("receiver", item)
    if len(to) not in (0, 20):
        raise InvalidTransaction(
            f"its receiver is {len(to)} bytes: an address has 20, a contract creation has none"
        )
    return to or None


def _access_list(item: object) -> tuple[tuple[bytes, tuple[int, ...]], ...]:
    if not isinstance(item, list) or not all(map(_is_access, item)):
        raise InvalidTransaction(
            "its access list is not a list of pairs, each of an address of 20 bytes and a list of slots of 32"
        )
    return tuple([(address, tuple(map(int.from_bytes, slots))) for address, slots in item])


def _is_access(pair: object) -> bool:
    match pair:
        case [bytes(address), list(slots)]:
            return len(address) == 20 and all(isinstance(s, bytes) and len(s) == 32 for s in slots)
    return False
