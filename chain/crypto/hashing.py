"""Keccak-256, and the checksummed and derived addresses that Ethereum builds on it."""

from __future__ import annotations

from chain.crypto import rlp
from chain.foundation.light_hashes import keccak_256


def keccak(data: bytes) -> bytes:
    """Return the Keccak-256 hash of bytes, the same as in Solidity and as `self.keccak`.

    >>> keccak(b"Transfer(address,address,uint256)")[:4].hex()
    'ddf252ad'
    """
    try:
        digest: bytes = keccak_256(data).digest()
    except TypeError:
        remedy = "write text.encode()" if isinstance(data, str) else "encode it first"
        raise TypeError(f"keccak hashes bytes, not {data!r}: {remedy}") from None
    return digest


def checksum_address(raw: bytes) -> str:
    """Return the EIP-55 form: a hex digit is a capital if the same digit of the hash is 8 or more."""
    digits = raw.hex()
    hash_digits = keccak(digits.encode()).hex()
    return "0x" + "".join(
        digit.upper() if hash_digit >= "8" else digit
        for digit, hash_digit in zip(digits, hash_digits, strict=False)
    )


def create_address(creator: bytes, nonce: int) -> bytes:
    """Return the address of the contract that `creator` creates with its nonce `nonce`."""
    return keccak(rlp.encode((creator, nonce)))[12:]


def create2_address(creator: bytes, salt: bytes, initcode: bytes) -> bytes:
    """Return the address of the contract that `creator` creates from this code with this salt of 32 bytes (EIP-1014)."""
    return keccak(b"\xff" + creator + salt + keccak(initcode))[12:]
