"""The words of a World, as a system reads them: for an open model, and for what the World knows of the system.

A system needs the latter in every message. The World that is a contract answers the same questions, through its fields; these
functions read and pay for the same words, without an object for each field on the way.
"""

from __future__ import annotations

from typing import Final, NoReturn, cast

from chain.machine.frame import Frame
from chain.machine.gas import WARM
from chain.runtime.world import World
from chain.schema.value_types import StringType
from chain.spec.models import resource_of
from chain.storage.layout import FieldsLayout, layout_for

_FIELDS: Final = cast(FieldsLayout, World.__spec__.fields)
_SLOTS: Final = {
    name: place.word for name, place in zip(_FIELDS.names, _FIELDS.places, strict=True)
}
_NAMESPACE, _WRITERS, _HOMES = _SLOTS["namespace"], _SLOTS["writers"], _SLOTS["homes"]
_PLACES: Final = _SLOTS["registered"] + 1  # where a set keeps the places of its values
_TEXT: Final = layout_for(StringType())
_PADDING: Final = bytes(12)  # before an address in a word


def namespace_of(words: Frame, system: bytes) -> str:
    """Return the namespace of a system, as `World.namespace_of` does."""
    home: str = _TEXT.load(words, words.map_slot(_HOMES, _PADDING + system))
    return home or _TEXT.load(words, _NAMESPACE)


def is_writer(words: Frame, namespace: str, model: str, system: bytes) -> bool:
    """Return True if a system is a writer of this very model, and pay for that word. If it is not, pay nothing."""
    slot = words.map_slot(_WRITERS, resource_of(namespace, model) + _PADDING + system)
    return words.storage.get(slot) == 1 and words.sload(slot) == 1


def is_registered(words: Frame, system: bytes) -> bool:
    """Return True if a system is in `World.registered`."""
    return words.sload(words.map_slot(_PLACES, _PADDING + system)) != 0


class BorrowedWords:
    """The words of the world for reads over a longer time. Each access is charged on its own."""

    __slots__ = ("_frame", "_words", "data_slot")

    def __init__(self, frame: Frame, words: Frame) -> None:
        self._frame, self._words = frame, words
        self.data_slot = words.data_slot

    def sload(self, slot: int) -> int:
        frame, words = self._frame, self._words
        words.gas = frame.gas - WARM
        try:
            return words.sload(slot)
        finally:
            frame.gas = words.gas

    def sstore(self, slot: int, word: int) -> NoReturn:
        raise AssertionError("an open model is written through its own frame")
