"""Keccak-256 and what Ethereum makes of it: checksummed and derived addresses."""

from __future__ import annotations

from sha3 import keccak_256

from chain.crypto import rlp


def keccak(data: bytes) -> bytes:
    """The Keccak-256 hash of bytes, as Solidity and `self.keccak` have it."""
    try:
        digest: bytes = keccak_256(data).digest()
    except TypeError:
        remedy = "write text.encode()" if isinstance(data, str) else "encode it first"
        raise TypeError(f"keccak hashes bytes, not {data!r}: {remedy}") from None
    return digest


def checksum_address(raw: bytes) -> str:
    """The EIP-55 form: a hex digit is a capital where the same digit of its hash is 8 or more."""
    digits = raw.hex()
    marks = keccak(digits.encode()).hex()
    return "0x" + "".join(d.upper() if m >= "8" else d for d, m in zip(digits, marks, strict=False))


def create_address(creator: bytes, nonce: int) -> bytes:
    """Where a contract made by `creator` in its transaction number `nonce` goes."""
    return keccak(rlp.encode((creator, nonce)))[12:]
