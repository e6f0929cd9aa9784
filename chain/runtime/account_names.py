"""Named accounts: `first.testnet` is the same address on every chain, and the chain stores its name.

The private key is the keccak of the name, so a named account can sign. The names are stored as text by address in one account,
so that the past, forks and snapshots of a chain have the same names. The ten accounts of every chain have theirs without it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from chain.crypto.accounts import ACCOUNTS, LABELS, Account, account_of_key
from chain.crypto.hashing import checksum_address, keccak
from chain.machine import gas as cost
from chain.machine.frame import Frame
from chain.machine.state import State
from chain.values import short_repr

REGISTRY: Final = keccak(b"boardchain names")[12:]
_LONGEST: Final = 32
_OF_EVERY_CHAIN: Final = {bytes(account): account.name for account in ACCOUNTS}


def account_named(name: str) -> Account:
    """Return the account of that name: one of the ten of every chain, or one whose key is made of its name."""
    check(name)
    if name in LABELS:
        return ACCOUNTS[LABELS.index(name)]
    return account_of_key(keccak(b"boardchain account " + name.encode()), name)


def check(name: str) -> None:
    """Refuse a name that an account cannot have."""
    if not isinstance(name, str):
        raise TypeError(f"{short_repr(name)} cannot name an account: a name is a text")
    if not name or not name.isprintable() or len(name.encode()) > _LONGEST:
        raise ValueError(f"{name!r} cannot name an account: use 1 to {_LONGEST} printable bytes")
    if name.startswith("0x"):
        raise ValueError(f"{name!r} cannot name an account: it would be read as an address")


def set_name(state: State, address: bytes, name: str) -> None:
    """Store the name of an account."""
    state.set_word(REGISTRY, _slot(address), int.from_bytes(name.encode().ljust(32, b"\0")))


def get_name(state: State, address: bytes) -> str | None:
    """Return the name of an account, or None."""
    word = state.word(REGISTRY, _slot(address))
    return text_of(word) if word else _OF_EVERY_CHAIN.get(address)


@lru_cache(maxsize=1 << 12)
def text_of(word: int) -> str:
    """Return the name in a word of the registry."""
    return word.to_bytes(32).rstrip(b"\0").decode()


def name_or_address(frame: Frame, address: bytes) -> str:
    """Return the name of `address`, or the address as text. It is charged as a read of the registry."""
    state, slot = frame.state, _slot(address)
    gas = cost.COLD_ACCOUNT if state.warm_address(REGISTRY) else cost.WARM
    gas += cost.COLD_SLOAD if state.touch_slot(REGISTRY, slot) else cost.WARM
    frame.charge(gas)
    word = state.word(REGISTRY, slot)
    return text_of(word) if word else _OF_EVERY_CHAIN.get(address) or checksum_address(address)


def _slot(address: bytes) -> int:
    return int.from_bytes(address)
