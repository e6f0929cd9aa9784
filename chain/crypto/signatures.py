"""Signatures on the curve secp256k1: by the C library of Bitcoin where it is installed, and otherwise in Python.

`coincurve` has no wheel for Python 3.14 and newer. The Python version is a hundred times slower and returns the same bytes.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import import_module
from typing import Any, Final, Protocol

from chain.crypto.hashing import keccak


class Curve(Protocol):
    """The operations of both versions. An invalid key, and a signature that no key could have made, raise a ValueError."""

    def public_key(self, key: bytes) -> bytes:
        """Return the 64 bytes of the public key."""

    def sign(self, key: bytes, message: bytes) -> bytes:
        """Return r, s and parity of the signature of a hash."""

    def recover(self, signature: bytes, message: bytes) -> bytes:
        """Return the public key that has signed a hash."""


class _InC:
    """The curve in C."""

    def __init__(self) -> None:
        coincurve = import_module("coincurve")
        self._key = lru_cache(maxsize=256)(coincurve.PrivateKey)
        self._recover = coincurve.PublicKey.from_signature_and_message

    def public_key(self, key: bytes) -> bytes:
        public: bytes = self._key(key).public_key.format(compressed=False)[1:]
        return public

    def sign(self, key: bytes, message: bytes) -> bytes:
        signature: bytes = self._key(key).sign_recoverable(message, hasher=None)
        return signature

    def recover(self, signature: bytes, message: bytes) -> bytes:
        public: bytes = self._recover(signature, message, hasher=None).format(compressed=False)[1:]
        return public


class InPython:
    """The curve in Python."""

    def __init__(self) -> None:
        self._backend = import_module("eth_keys.backends.native.main").NativeECCBackend()
        self._types = import_module("eth_keys.datatypes")
        self._exceptions = import_module("eth_keys.exceptions")

    def public_key(self, key: bytes) -> bytes:
        public: bytes = self._key(key).public_key.to_bytes()
        return public

    def sign(self, key: bytes, message: bytes) -> bytes:
        signature: bytes = self._key(key).sign_msg_hash(message).to_bytes()
        return signature

    def recover(self, signature: bytes, message: bytes) -> bytes:
        try:
            known = self._types.Signature(signature, backend=self._backend)
            public: bytes = known.recover_public_key_from_msg_hash(message).to_bytes()
        except (self._exceptions.BadSignature, self._exceptions.ValidationError) as error:
            raise ValueError(str(error)) from None
        return public

    def _key(self, key: bytes) -> Any:
        if not 0 < int.from_bytes(key) < _ORDER:
            raise ValueError("Secret scalar must be greater than 0 and less than the order")
        return self._types.PrivateKey(key.rjust(32, b"\0"), backend=self._backend)


_ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


@cache
def curve() -> Curve:
    """Return the curve. The first call imports its library."""
    try:
        return _InC()
    except ImportError:
        return InPython()


def recover(digest: bytes, signature: bytes) -> bytes | None:
    """Return the address whose key signed this hash: r and s of 32 bytes each, and the parity 0 or 1. None if no key did."""
    try:
        return keccak(curve().recover(signature, digest))[12:]
    except ValueError:
        return None
