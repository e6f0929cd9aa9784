"""Small values as numbers: members side by side in a storage word, none across the end of a word.

A number, flag, Enum or address takes its own width; a record or option takes the sum of its parts. A value of at most 32 bytes
is packed, and is read and written by straight-line Python functions, which are generated here once per type.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cache
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from chain.foundation.dataclass import dataclass
from chain.schema.codegen import SourceBuilder
from chain.schema.validation import explain_mismatch
from chain.schema.value_types import OptionalType, Scalar, StructType, ValueType

LONG_MEMO: Final = 1 << 12  # entries, each of which may be a whole list or a big record

K = TypeVar("K")
V = TypeVar("V")


class ReadableWords(Protocol):
    """The part of a frame that reading a value uses."""

    def sload(self, slot: int) -> int: ...
    def data_slot(self, slot: int) -> int: ...


class Words(ReadableWords, Protocol):
    """The part of a frame that layouts use."""

    def sstore(self, slot: int, word: int) -> None: ...


class HasSize(Protocol):
    """A layout with a size: a number of bytes within a word, or a number of whole words."""

    @property
    def size(self) -> int | None: ...
    @property
    def words(self) -> int: ...


class Offset(NamedTuple):
    """The position of a member: `word` words after the start, `shift` bits from the low end.

    `alone` is True if it does not share its word.
    """

    word: int
    shift: int
    alone: bool


def lay_out(layouts: Sequence[HasSize]) -> tuple[list[Offset], int]:
    """Lay `layouts` side by side. Return the offset of each, and the number of words in total."""
    starts: list[tuple[int, int]] = []
    word, used = 0, 0  # the word being filled, and the bytes used in it
    for layout in layouts:
        if layout.size is None:
            word, used = word + (used > 0), 0
            starts.append((word, 0))
            word += layout.words
        else:
            if used + layout.size > 32:
                word, used = word + 1, 0
            starts.append((word, 8 * used))
            used += layout.size
    used_words = [start[0] for start in starts]
    offsets = [Offset(index, shift, used_words.count(index) == 1) for index, shift in starts]
    return offsets, word + (used > 0)


@dataclass
class PackingSource(SourceBuilder):
    """Generated Python source of one layout: its lines, and the objects it refers to."""

    lines: list[str] = field(default_factory=list)  # they destructure the value

    def destructure(self, kind: StructType, value: str) -> list[str]:
        """Put the members of a record into local variables, and return the names of these."""
        self.lines += kind.destructuring_source(value)
        return [f"{value}_{i}" for i in range(len(kind.members))]

    def pack_whole(self, kind: ValueType) -> str:
        """Return an expression for the value called `v`, which stays as it is for errors to show it."""
        if not isinstance(kind, Scalar):
            return self.pack(kind, "v")
        self.lines.append("n = v")
        return self.pack(kind, "n")

    def pack(self, kind: ValueType, value: str) -> str:
        """Return an expression for the value called `value` as a number of `packed_size` bytes."""
        match kind:
            case Scalar():
                self.checks += kind.checks_of_number(value)
                return kind.pack(value, self.bind)
            case OptionalType(item=item):
                inner = self.bind(packed_layout(item).pack)
                return f"(0 if {value} is None else 1 | {inner}({value}) << 8)"
            case StructType():
                return self.combine(kind.parts, self.destructure(kind, value))
            case _:
                raise AssertionError(kind)

    def combine(self, kinds: Sequence[ValueType], values: list[str]) -> str:
        """Return an expression for the word with these members side by side, the first in the lowest bytes."""
        if len(kinds) == 1:
            return self.pack(kinds[0], values[0])
        items = [item for pair in zip(kinds, values, strict=True) for item in self._items(*pair)]
        form = struct.Struct(">" + "".join([form for form, _ in reversed(items)]))
        inner = ", ".join([value for _, value in reversed(items)])
        return f"number({self.bind(form.pack)}({inner}))"

    def _items(self, kind: ValueType, value: str) -> list[tuple[str, str]]:
        """Return the items of a `struct` for the value called `value`, each with its format, from the lowest bytes on."""
        match kind:
            case Scalar():
                self.checks += kind.checks(value)
                form, (packed, _) = kind.item(value, self.bind)
                return [(form, packed)]
            case OptionalType(item=Scalar() as item):
                self.checks += item.checks(value, f" and {value} is not None")
                form, (packed, zero) = item.item(value, self.bind)
                flag = f"{value} is not None"
                return [("?", flag), (form, f"{packed} if {flag} else {zero}")]
            case StructType():
                pairs = zip(kind.parts, self.destructure(kind, value), strict=True)
                return [item for pair in pairs for item in self._items(*pair)]
            case _:
                size = kind.packed_size
                return [(f"{size}s", f"{self.pack(kind, value)}.to_bytes({size})")]

    def unpack(self, kind: ValueType, word: str, shift: int = 0) -> str:
        """Return an expression for the value at bit `shift` of `word`."""
        size = kind.packed_size
        assert size is not None
        number = word if shift == 0 else f"({word} >> {shift})"
        masked = f"({number} & {(1 << 8 * size) - 1})" if size < 32 else number
        match kind:
            case Scalar():
                return kind.unpack(masked, self.bind)
            case OptionalType(item=item):
                inner = self.bind(packed_layout(item).unpack)
                return f"({inner}({masked} >> 8) if {number} & 1 else None)"
            case StructType():
                if kind.runs_author_code:
                    return f"{self.bind(_record_builder(kind))}({masked})"
                return f"{self.bind(_Records(kind))}[{masked}]"
            case _:
                raise AssertionError(kind)

    def unpack_loaded(self, kind: ValueType, loaded: str, shift: int = 0) -> list[str]:
        """Return the end of a function that returns the value at bit `shift` of the word that `loaded` reads."""
        if isinstance(kind, OptionalType):  # it looks at the word twice
            return [f" w = {loaded}", f" return {self.unpack(kind, 'w', shift)}"]
        return [f" return {self.unpack(kind, loaded, shift)}"]

    @property
    def checked_lines(self) -> list[str]:
        """The lines that destructure the value, and refuse what does not fit."""
        return [*self.lines, *self.checks]

    def with_checks(self, kind: ValueType, lines: list[str], blame: str = "") -> list[str]:
        """Return `lines` after all checks, in a `try` whose errors name the member of `v` that does not fit.

        `blame` raises the error, if that is more than that of the value itself.
        """
        inner = [f"  {line}" for line in [*self.checked_lines, *lines]]
        blame = blame or f"raise misfit({self.bind(kind)}, v, wrong) from None"
        return [" try:", *inner, f" except Exception as wrong: {blame}"]

    def compile(self, lines: list[str]) -> dict[str, Any]:
        return self.run(lines, {"misfit": explain_mismatch})


def members_of(kind: StructType) -> list[tuple[ValueType, Offset]]:
    """Return the member types of a packed record, each with its offset."""
    offsets, _ = lay_out([packed_layout(part) for part in kind.parts])
    return list(zip(kind.parts, offsets, strict=True))


class MemoTable(dict[K, V]):
    """A cache of values by their packed number or numbers. The values are frozen, so equal numbers can share one."""

    def __init__(self, build: Callable[[K], V], limit: int = 1 << 16) -> None:
        super().__init__()
        self.build, self.limit = build, limit

    def __missing__(self, packed: K) -> V:
        if len(self) >= self.limit:
            self.clear()
        value = self[packed] = self.build(packed)
        return value


class _Records(MemoTable[int, Any]):
    """The records of a type by their packed number. What builds them is generated for the first one."""

    def __init__(self, kind: StructType) -> None:
        super().__init__(self._build_first)
        self._kind = kind

    def _build_first(self, packed: int) -> Any:
        self.build = _record_builder(self._kind)
        return self.build(packed)


def _record_builder(kind: StructType) -> Callable[[int], Any]:
    source = PackingSource(f"build {kind.name}")
    parts = [source.unpack(inner, "w", offset.shift) for inner, offset in members_of(kind)]
    construction = kind.construction_source(source.bind(kind.maker), parts)
    build: Callable[[int], Any] = source.compile([f"def build(w): return {construction}"])["build"]
    return build


class _Generated:
    """A function of a layout that is generated, with all others of its layout, when one of them is first asked for.

    Many layouts are only parts of others, whose functions do their work.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, layout: Any, owner: type | None = None) -> Any:
        if layout is None:
            return self
        for name, function in layout.generate().items():
            setattr(layout, name, function)
        return getattr(layout, self._name)


def generated() -> Any:
    """Return what stands for a generated function in the class of a layout, which has a method `generate`."""
    return _Generated()


def store_word(frame: Words, slot: int, packed: int) -> None:
    frame.sstore(slot, packed)


class PackedLayout:
    """The layout of a value of up to 32 bytes. It may share its word; alone in one, it is the word."""

    words = 1
    pack: Callable[[object], int] = generated()
    unpack: Callable[[int], Any] = generated()
    load: Callable[[ReadableWords, int], Any] = generated()
    store: Callable[[Words, int, object], None] = generated()

    def __init__(self, kind: ValueType) -> None:
        self.kind = kind
        self.size: int | None = kind.packed_size
        self.write = store_word

    def generate(self) -> dict[str, Any]:
        kind = self.kind
        source = PackingSource(f"pack {kind.name}")
        number, value = source.pack_whole(kind), source.unpack(kind, "w")
        made = source.compile(
            [
                *("def pack(v):", *source.with_checks(kind, [f"return {number}"])),
                f"def unpack(w): return {value}",
                *("def load(frame, slot):", *source.unpack_loaded(kind, "frame.sload(slot)")),
                *("def store(frame, slot, v):", *source.with_checks(kind, [f"n = {number}"])),
                " frame.sstore(slot, n)",
            ]
        )
        return {name: made[name] for name in ("pack", "unpack", "load", "store")}

    def property_source(
        self, name: str, path: str, place: Offset, source: PackingSource
    ) -> list[str]:
        """Return the functions `get_name` and `set_name` for a field at `place`; `path` names it in errors."""
        word, shift, alone = place
        mask = (1 << 8 * (self.size or 0)) - 1 << shift
        number = source.pack_whole(self.kind)
        kept = "" if alone else f"contract._frame.sload({word}) & {~mask} | "
        blame = f"raise misfit({source.bind(self.kind)}, v, wrong).prefixed({path}) from None"
        return [
            f"def get_{name}(contract):",
            *source.unpack_loaded(self.kind, f"contract._frame.sload({word})", shift),
            f"def set_{name}(contract, v):",
            *source.with_checks(self.kind, [f"n = {number}"], blame),
            f" contract._frame.sstore({word}, {kept}{f'n << {shift}' if shift else 'n'})",
        ]

    def change(self, frame: Words, slot: int, before: object, after: object) -> None:
        if after is not before and after != before:
            frame.sstore(slot, self.pack(after))

    def plan(
        self, frame: Words, slot: int, before: object, after: object, writes: list[Any]
    ) -> None:
        if after is not before and after != before:
            writes.append((store_word, slot, self.pack(after)))

    def clear(self, frame: Words, slot: int) -> None:
        frame.sstore(slot, 0)


@cache
def packed_layout(kind: ValueType) -> PackedLayout:
    return PackedLayout(kind)
