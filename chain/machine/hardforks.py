"""The forks of Ethereum: what each of them changes for transactions, blocks and blobs, in one value.

A chain has one fork from its first block on. All code that depends on it reads it here, through `block.fork`; gas prices are
in `chain.machine.gas`, and the environment of bytecode (operations, precompiled contracts) is in `chain.machine.evm.forks`,
which also lists what the next fork needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Final

from chain.foundation.dataclass import dataclass
from chain.machine import gas
from chain.values.inputs import text


@dataclass(frozen=True, slots=True)
class BlobSchedule:
    """The number of blobs in a block, and how fast their price follows demand (EIP-7840)."""

    target: int
    max: int
    update_fraction: int

    def base_fee(self, excess: int) -> int:
        """Return the price of a unit of blob gas: e to the power of `excess / update_fraction`, by whole numbers (EIP-4844)."""
        total, term, step = 0, self.update_fraction, 1
        while term:
            total += term
            term = term * excess // (self.update_fraction * step)
            step += 1
        return total // self.update_fraction


@dataclass(frozen=True, slots=True)
class FixedBlobFee(BlobSchedule):
    """A schedule whose blobs always have the same price, for the overrides of a client."""

    price: int

    def base_fee(self, excess: int) -> int:
        return self.price


@dataclass(frozen=True, slots=True)
class Fork:
    """The rules of one fork."""

    name: str
    evm: str  # the fork whose operations and precompiled contracts it has
    gas_limit: int  # of a block, unless the chain sets its own
    max_initcode: int  # bytes
    blobs: BlobSchedule
    # The names of EIP-7910 by address. These accounts are always warm.
    precompiles: Mapping[bytes, str] = field(hash=False)
    peer_protocol: int  # the newest version of `eth` that its nodes speak
    max_transaction_gas: int | None = None  # EIP-7825
    max_transaction_blobs: int | None = None  # EIP-7594
    has_blob_reserve_price: bool = False  # EIP-7918

    def next_excess_blob_gas(self, excess: int, used: int, base_fee: int) -> int:
        """Return the excess of the block after one with this excess, blob gas used and base fee.

        It falls by the target, unless a blob is cheaper than the gas to check it (EIP-7918): then it does not fall.
        """
        blobs, total = self.blobs, excess + used
        if total < blobs.target * gas.PER_BLOB:
            return 0
        price = gas.PER_BLOB * blobs.base_fee(excess)
        if self.has_blob_reserve_price and gas.BLOB_BASE_COST * base_fee > price:
            return excess + used * (blobs.max - blobs.target) // blobs.max
        return total - blobs.target * gas.PER_BLOB


def _numbered(*names: str) -> dict[bytes, str]:
    """Return the addresses from 1 on, with these names."""
    return {number.to_bytes(20): name for number, name in enumerate(names, 1)}


PRAGUE: Final = Fork(
    name="prague",
    evm="prague",
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
OSAKA: Final = replace(
    PRAGUE,
    name="osaka",
    evm="osaka",
    gas_limit=60_000_000,  # EIP-7935
    precompiles={**PRAGUE.precompiles, (0x100).to_bytes(20): "P256VERIFY"},
    peer_protocol=69,
    max_transaction_gas=gas.MAX_TRANSACTION,
    max_transaction_blobs=6,
    has_blob_reserve_price=True,
)
# Forks that change only the number of blobs (EIP-7892), which Ethereum has since Osaka.
BPO1: Final = replace(
    OSAKA, name="bpo1", blobs=BlobSchedule(target=10, max=15, update_fraction=8_346_193)
)
BPO2: Final = replace(
    OSAKA, name="bpo2", blobs=BlobSchedule(target=14, max=21, update_fraction=11_684_671)
)

FORKS: Final[Mapping[str, Fork]] = {fork.name: fork for fork in (PRAGUE, OSAKA, BPO1, BPO2)}
DEFAULT: Final = OSAKA


def fork_named(name: str) -> Fork:
    """Return the fork of that name."""
    fork = FORKS.get(text(name, "fork").lower())
    if fork is None:
        raise ValueError(f"there is no fork {name!r} here: there are {', '.join(FORKS)}")
    return fork
