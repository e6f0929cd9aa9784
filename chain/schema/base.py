"""The base of all value types: the interface that every level uses. Most of it is derived from the parts of the type."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias


class ValueType:
    """The type of a value: a plain description, which compares and hashes by what it describes."""

    __slots__ = ()

    if TYPE_CHECKING:  # a field of this name would take a property for its default

        @property
        def name(self) -> str: ...

    @property
    def parts(self) -> tuple[ValueType, ...]:
        """The types inside, in the order of the ABI."""
        return ()

    def map(self, convert: Callable[[ValueType], ValueType]) -> ValueType:
        """Return the same type with other types inside."""
        return self

    def split(self, value: object) -> list[Part] | None:
        """Return the parts of `value`, or None if it has none, or not those that a value of this type has."""
        return None

    # Values

    @property
    @abstractmethod
    def zero(self) -> object:
        """The value of an unset slot."""

    @property
    def has_author_class(self) -> bool:
        """True if values are or contain instances of an author's class."""
        return any(part.has_author_class for part in self.parts)

    @property
    def runs_author_code(self) -> bool:
        """True if the author's code runs when a value is made or compared, such as `__post_init__`. Such values are made anew
        for each reader, who pays for it: what is cached would be free.
        """
        return any(part.runs_author_code for part in self.parts)

    def fits(self, value: object) -> bool:
        """Return True if `value` fits a type without parts. It may also raise if it does not."""
        return False

    def expectation(self, value: object = 0) -> str:
        """Describe what `value` should be, as the end of a sentence that begins with it."""
        return f"is not {self.name}"

    # In storage

    @property
    def packed_size(self) -> int | None:
        """The number of bytes that a value packs into, or None if it needs words of its own."""
        return None

    # In the ABI

    @property
    @abstractmethod
    def abi_type(self) -> str:
        """The name in the ABI, such as `uint8` or `(bool,address)[]`."""

    @property
    def is_dynamic(self) -> bool:
        """True if the encoding has no fixed size."""
        return any(part.is_dynamic for part in self.parts)

    @property
    def body_size(self) -> int:
        """The number of bytes of a value's own head, which is in its parent's head or at an offset."""
        return 32

    @property
    def head_size(self) -> int:
        """The number of bytes of a value in its parent's head: its own body, or an offset to it."""
        return 32 if self.is_dynamic else self.body_size


# The path of a part in its value, such as `[0]` or `tile`; its type; the part.
Part: TypeAlias = tuple[str, ValueType, object]
