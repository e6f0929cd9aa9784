"""KZG_POINT_EVALUATION: checks that the polynomial of a blob has a value at a point (EIP-4844).

The check is one pairing, and needs only one point of the trusted setup, so the setup is never loaded.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from eth.exceptions import VMError
from py_arkworks_bls12381 import GT, G1Point, G2Point, Scalar

from chain.machine import gas
from chain.machine.evm.precompile import Precompile
from chain.machine.transaction import BLOB_VERSION

_SIZE: Final = 192  # bytes of the input: hash, point, value, commitment, proof
_MODULUS: Final = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
_ELEMENTS: Final = 4096  # field elements in a blob
# The secret of Ethereum's ceremony times the generator: the second power in the setup.
_SECRET: Final = G2Point.from_compressed_bytes(
    bytes.fromhex(
        "b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72"
        "185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2"
    )
)


def _scalar(raw: bytes) -> Scalar:
    number = int.from_bytes(raw)
    if number >= _MODULUS:
        raise VMError("a field element of the point evaluation is not below its modulus")
    return Scalar(number)


def evaluate(data: bytes) -> bytes:
    """Return the size of a blob and the modulus of its field, or refuse an invalid proof."""
    if len(data) != _SIZE:
        raise VMError(f"a point evaluation takes {_SIZE} bytes, not {len(data)}")
    commitment, proof = data[96:144], data[144:]
    if data[:32] != BLOB_VERSION + sha256(commitment).digest()[1:]:
        raise VMError("the commitment of the point evaluation does not match its hash")
    point, value = _scalar(data[32:64]), _scalar(data[64:96])
    try:
        committed = G1Point.from_compressed_bytes(commitment)
        quotient = G1Point.from_compressed_bytes(proof)
    except ValueError as error:
        raise VMError(f"point evaluation: {error}") from None
    # value = p(point) if p - value is divisible by (x - point): the quotient times that is the difference.
    difference = committed - G1Point() * value
    if not GT.pairing_check([difference, -quotient], [G2Point(), _SECRET - G2Point() * point]):
        raise VMError("the proof of the point evaluation does not hold")
    return _ELEMENTS.to_bytes(32) + _MODULUS.to_bytes(32)


POINT_EVALUATION: Final = Precompile(
    "KZG_POINT_EVALUATION", lambda data: gas.POINT_EVALUATION, evaluate
)
