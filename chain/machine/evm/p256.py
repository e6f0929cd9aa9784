"""P256VERIFY: checks a signature by a key on the curve secp256r1, that of passkeys and of phones (EIP-7951)."""

from __future__ import annotations

from typing import Final

from Crypto.PublicKey.ECC import EccPoint

from chain.machine import gas
from chain.machine.evm.precompile import Precompile

_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_PRIME: Final = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
_GENERATOR: Final = EccPoint(
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
_SIZE: Final = 160  # bytes of the input: hash, r, s, and the two coordinates of the key


def verify(data: bytes) -> bytes:
    """Return a one if the signature is valid, nothing in any other case. An invalid input is not an error."""
    if len(data) != _SIZE:
        return b""
    message, r, s, x, y = (int.from_bytes(data[i : i + 32]) for i in range(0, _SIZE, 32))
    if not (0 < r < _ORDER and 0 < s < _ORDER and x < _PRIME and y < _PRIME):
        return b""
    try:
        key = EccPoint(x, y)
    except ValueError:  # not on the curve
        return b""
    if key.is_point_at_infinity():
        return b""
    inverse = pow(s, -1, _ORDER)
    point = _GENERATOR * (message * inverse % _ORDER) + key * (r * inverse % _ORDER)
    is_valid = not point.is_point_at_infinity() and int(point.x) % _ORDER == r
    return (1).to_bytes(32) if is_valid else b""


P256VERIFY: Final = Precompile("P256VERIFY", lambda data: gas.P256_VERIFY, verify)
