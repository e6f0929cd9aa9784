"""What a World knows of a system, read from its words.

A system needs this in every message. The World that is a contract answers the same questions, through its fields; these
functions read and pay for the same words, without an object for each field on the way.
"""

from __future__ import annotations

from typing import Final

from chain.machine.frame import Frame
from chain.runtime.world import World
from chain.schema.value_types import StringType
from chain.spec.models import resource_of
from chain.storage.layout import FieldsLayout, layout_for

_FIELDS: Final[FieldsLayout] = World.__spec__.fields
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
