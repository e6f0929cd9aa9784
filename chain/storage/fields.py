"""Fields side by side in storage: ordinary 32-byte words, in the manner of Solidity.

Members are laid out from the low end of a word, and none crosses into the next. Texts, bytes and lists keep their length in
their own word and their content at its keccak. In one respect this is denser than Solidity: a record or option of up to 32
bytes is packed like a number, so a list of small records shares words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from chain.values import StructType, ValueMismatch
from chain.values.kind import ReadableWords, Words
from chain.values.records import lay_out


class Layout(Protocol):
    """Reads and writes values of one type, from the first slot of a value on: a value type, or the layout of a collection."""

    @property
    def size(self) -> int | None: ...  # in bytes, if values are packed; otherwise None
    @property
    def words(self) -> int: ...
    @property
    def load(self) -> Callable[[Any, int], Any]: ...
    def store(self, frame: Words, slot: int, value: object) -> None: ...
    def clear(self, frame: Words, slot: int) -> None: ...


class FieldsLayout:
    """Named layouts side by side, each accessed on its own: the fields of a contract, the members of a model."""

    size: int | None = None

    def __init__(self, names: Sequence[str], layouts: Sequence[Any]) -> None:
        self.names, self.layouts = list(names), list(layouts)
        self.places, self.words = lay_out(layouts)

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

    def clear(self, frame: Words, slot: int) -> None:
        for offset, layout in zip(self.places, self.layouts, strict=True):
            if offset.shift == 0:  # the first in a word clears it for all
                layout.clear(frame, slot + offset.word)
