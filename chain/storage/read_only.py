"""Storage words read from outside of messages: read-only and without gas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from chain.storage.slots import Slots


class ReadOnlyStorage:
    """The words of one account, with the methods of a frame that layouts use."""

    __slots__ = ("_words", "data_slot", "map_slot", "nested_slot")

    address = b""  # not a real account: values that are read here are not cached
    journal = ()

    def __init__(self, slots: Slots, words: Mapping[int, int]) -> None:
        self._words = words
        self.data_slot = slots.content_slot
        self.map_slot, self.nested_slot = slots.map_slot, slots.nested_slot

    def sload(self, slot: int) -> int:
        return self._words.get(slot, 0)

    def sstore(self, slot: int, word: int) -> NoReturn:
        raise TypeError("these words are read-only")
