"""The forks of Ethereum: what each of them changes for transactions, blocks and blobs, in one value.

A chain has one fork from its first block on. Whatever depends on it reads it here, through `block.fork`; figures of gas
come from `chain.machine.gas`, and what bytecode sees (operations, precompiled contracts) is in `chain.machine.evm.forks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class BlobSchedule:
    """How many blobs blocks hold, and how fast their price follows demand (EIP-7840)."""

    target: int
    max: int
    update_fraction: int


@dataclass(frozen=True, slots=True)
class Fork:
    """The rules of one fork."""

    name: str
    gas_limit: int  # of a block, unless the chain sets its own
    max_initcode: int  # bytes
    blobs: BlobSchedule
    precompiles: Mapping[bytes, str] = field(hash=False)  # name by address, as in EIP-7910
    peer_protocol: int  # the newest version of `eth` that its nodes speak


def _numbered(*names: str) -> dict[bytes, str]:
    """Return the addresses from 1 on, with these names."""
    return {number.to_bytes(20): name for number, name in enumerate(names, 1)}


PRAGUE: Final = Fork(
    name="prague",
    gas_limit=30_000_000,
    max_initcode=49_152,
    blobs=BlobSchedule(target=6, max=9, update_fraction=5_007_716),
    precompiles=_numbered(
        "ECREC", "SHA256", "RIPEMD160", "ID", "MODEXP", "BN254_ADD", "BN254_MUL", "BN254_PAIRING", "BLAKE2F",
        "KZG_POINT_EVALUATION", "BLS12_G1ADD", "BLS12_G1MSM", "BLS12_G2ADD", "BLS12_G2MSM", "BLS12_PAIRING_CHECK",
        "BLS12_MAP_FP_TO_G1", "BLS12_MAP_FP2_TO_G2",
    ),
    peer_protocol=68,
)  # fmt: skip
DEFAULT: Final = PRAGUE
