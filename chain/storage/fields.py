"""Fields side by side in storage: ordinary 32-byte words, in the manner of Solidity.

Members are laid out from the low end of a word, and none crosses into the next. Texts, bytes and lists keep their length in
their own word and their content at its keccak. In one respect this is denser than Solidity: a record or option of up to 32
bytes is packed like a number, so a list of small records shares words.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, Final, Protocol

from chain.storage.unit_of_work import Place
from chain.values import StructType, ValueMismatch
from chain.values.kind import ReadableWords, Words
from chain.values.records import lay_out

UNSET: Final = object()  # in place of a default that a field does not have


class Layout(Protocol):
    """Reads and writes values of one type, from the first slot of a value on: a value type, or the layout of a collection."""

    @property
    def size(self) -> int | None: ...  # in bytes, if values are packed; otherwise None
    @property
    def words(self) -> int: ...
    @property
    def is_changeable(self) -> bool: ...  # a value can be changed in place, or a part of it can
    @property
    def load(self) -> Callable[[Any, int], Any]: ...
    def refuse_misfit(self, value: object) -> None: ...
    def clear(self, frame: Words, slot: int) -> None: ...


class FieldsLayout:
    """Named layouts side by side, each accessed on its own: the fields of a contract, the members of a model."""

    size: int | None = None
    is_changeable = False

    def __init__(
        self, names: Sequence[str], layouts: Sequence[Any], defaults: Mapping[str, object] = {}
    ) -> None:
        self.names, self.layouts = list(names), list(layouts)
        self.places, self.words = lay_out(layouts)
        self.spots = [Place(word, shift) for word, shift, _ in self.places]
        self.defaults = {name: value for name, value in defaults.items() if value is not UNSET}

    @classmethod
    def of(cls, record: StructType) -> FieldsLayout:
        """Return the members of a record."""
        return cls([member.name for member in record.members], record.parts)

    def accessors(
        self, index: int
    ) -> tuple[Callable[[ReadableWords, int], Any], Callable[[Words, int, object], None]]:
        """Return functions that load and store member `index` of the fields that start at a given slot."""
        layout, (word, shift, alone) = self.layouts[index], self.places[index]
        if layout.size is None or alone:
            return (
                lambda frame, slot: layout.load(frame, slot + word),
                lambda frame, slot, value: layout.store(frame, slot + word, value),
            )
        mask = (1 << 8 * layout.size) - 1 << shift

        def store(frame: Words, slot: int, value: object) -> None:
            number = layout.pack(value) << shift
            frame.sstore(slot + word, frame.sload(slot + word) & ~mask | number)

        return lambda frame, slot: layout.unpack(frame.sload(slot + word) >> shift), store

    def properties(self, owner: str) -> dict[str, property]:
        """Return the properties of a contract class, which read and write the fields through the frame of the contract.

        `owner` is the name of the class, for errors.
        """
        return {name: self._property(i, f"{owner}.{name}") for i, name in enumerate(self.names)}

    def _property(self, index: int, path: str) -> property:
        if self.layouts[index].is_changeable:
            return property(
                lambda contract: contract._frame.unit_of_work(self)._take(index),
                lambda contract, value: contract._frame.unit_of_work(self)._assign(index, value),
            )
        load, store = self.accessors(index)
        layout, (word, _, alone) = self.layouts[index], self.places[index]

        def set_field(contract: Any, value: object) -> None:
            try:
                store(contract._frame, 0, value)
            except ValueMismatch as wrong:
                raise wrong.prefixed(path) from None

        if layout.size is None or alone:
            return property(lambda contract: layout.load(contract._frame, word), set_field)
        return property(lambda contract: load(contract._frame, 0), set_field)

    def set_defaults(self, words: Any, besides: Container[str] = ()) -> None:
        """Set the fields that have a default, but for those that were there before."""
        for name, layout, (word, shift, _) in zip(
            self.names, self.layouts, self.places, strict=True
        ):
            if name in self.defaults and name not in besides:
                layout.settle(words, Place(word, shift), self.defaults[name])

    def clear(self, frame: Words, slot: int) -> None:
        for offset, layout in zip(self.places, self.layouts, strict=True):
            if offset.shift == 0:  # the first in a word clears it for all
                layout.clear(frame, slot + offset.word)
