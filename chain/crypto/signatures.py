"""Signatures of secp256k1: who made one."""

from __future__ import annotations

from coincurve import PublicKey

from chain.crypto.hashing import keccak


def recover(digest: bytes, signature: bytes) -> bytes | None:
    """Return the address whose key signed this hash: r and s of 32 bytes each, and the parity 0 or 1. None if no key did."""
    try:
        key = PublicKey.from_signature_and_message(signature, digest, hasher=None)
    except ValueError:
        return None
    return keccak(key.format(compressed=False)[1:])[12:]
