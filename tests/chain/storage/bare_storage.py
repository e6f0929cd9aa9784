"""Bare storage, and records that are kept there."""

from __future__ import annotations

from dataclasses import dataclass

from chain.crypto.hashing import keccak
from chain.types import Address, i8, u8, u16

WHO = Address(b"\xaa" * 20)


class Words:
    """Bare storage: a word is absent while it is zero."""

    def __init__(self) -> None:
        self.words: dict[int, int] = {}

    def sload(self, slot: int) -> int:
        return self.words.get(slot, 0)

    def sstore(self, slot: int, word: int) -> None:
        assert type(word) is int and 0 <= word < 2**256
        self.words.pop(slot, None)
        if word:
            self.words[slot] = word

    def data_slot(self, slot: int) -> int:
        return int.from_bytes(keccak(slot.to_bytes(32)))

    def map_slot(self, slot: int, key: bytes) -> int:
        return int.from_bytes(keccak(key + slot.to_bytes(32)))

    def show(self) -> dict[int, str]:
        """The words as hex from the first byte that counts; those behind the keccak of slot 0 under 1000 and so on."""
        base = self.data_slot(0)
        near = {
            1000 + slot - base if slot >= base else slot: word for slot, word in self.words.items()
        }
        return {slot: f"{word:x}" for slot, word in sorted(near.items())}


@dataclass(frozen=True)
class Player:
    account: Address
    name: str
    points: u16
    hand: list[u8]


@dataclass(frozen=True)
class Stone:
    place: tuple[i8, i8]
    owner: u8
