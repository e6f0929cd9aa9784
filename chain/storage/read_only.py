"""Storage words read from outside of messages: read-only and without gas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from chain.storage.fields import FieldsLayout
from chain.storage.slots import Slots
from chain.storage.unit_of_work import ReadOnly, UnitOfWork


class ReadOnlyStorage:
    """The words of one account, with the methods of a frame that layouts use."""

    __slots__ = ("_words", "data_slot", "map_slot", "nested_slot")

    static = True
    address = b""  # of no account: nothing that is read here is remembered

    def __init__(self, slots: Slots, words: Mapping[int, int]) -> None:
        self._words = words
        self.data_slot = slots.content_slot
        self.map_slot, self.nested_slot = slots.map_slot, slots.nested_slot

    def unit_of_work(self, layout: FieldsLayout) -> UnitOfWork:
        return UnitOfWork(self, layout)

    @property
    def unpaid(self) -> ReadOnlyStorage:
        return self

    def sload(self, slot: int) -> int:
        return self._words.get(slot, 0)

    peek = sload

    def sstore(self, slot: int, word: int) -> NoReturn:
        raise ReadOnly

    def refusal(self, what: str) -> Exception:
        return ReadOnly()
