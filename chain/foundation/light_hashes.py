"""Hash functions from their own modules: `hashlib`, which has them too, first loads OpenSSL, and that takes 2 ms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hashlib import blake2b

    from sha3 import keccak_256
else:
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    try:
        from _pysha3 import keccak_256
    except ImportError:
        from sha3 import keccak_256

__all__ = ["blake2b", "fingerprint", "keccak_256", "raw_fingerprint"]

_SIZE: Final = 32  # bytes


def raw_fingerprint(content: bytes) -> bytes:
    """Return 32 bytes by which a content is known in the cache on disk."""
    return blake2b(content, digest_size=_SIZE).digest()


def fingerprint(text: str) -> str:
    """Return what a text is known by in the cache on disk."""
    return raw_fingerprint(text.encode("utf-8", "surrogatepass")).hex()
