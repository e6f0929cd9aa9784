"""How values lie in storage: ordinary 32-byte words, in the manner of Solidity.

Members are laid side by side from the low end of a word, and none crosses into the next. Texts, bytes and lists keep
their length in their own word and their content at its keccak. Denser than Solidity in one place: a record or option
of up to 32 bytes is packed like a number, so a list of small records shares words.

A `Layout` reads and writes values of one kind through a frame (`sload`, `sstore`), which charges gas and journals. As in
`chain.abi`, the busy functions are written once per kind as flat Python source. `change` is `store` for a value that was made
out of the one that lies there: parts that both share are the same object, and are neither packed nor written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, Protocol

from chain.abi import Misfit, misfit
from chain.errors import Revert
from chain.kinds import Account, Blob, Bool, Choice, Kind, Option, Record, Sequence, Text
from chain.types import Address, FixedBytes, Int

_FULL = 2**256 - 1
_MEMO_LIMIT = 1 << 16
_LONG_MEMO_LIMIT = 1 << 12  # where each entry may be a whole list


class Words(Protocol):
    """The part of a frame that layouts use."""

    def sload(self, slot: int) -> int: ...
    def sstore(self, slot: int, word: int) -> None: ...
    def data_slot(self, slot: int) -> int: ...


class Layout(Protocol):
    """Reads and writes one kind of value from its first slot on."""

    @property
    def size(self) -> int | None: ...  # bytes, when it packs into a word with others
    @property
    def words(self) -> int: ...
    def load(self, frame: Any, slot: int) -> Any: ...
    def store(self, frame: Any, slot: int, value: Any) -> None: ...
    def change(self, frame: Any, slot: int, before: Any, after: Any) -> None: ...
    def clear(self, frame: Any, slot: int) -> None: ...


class Place(NamedTuple):
    """Where a member lies: `word` words after the start, `shift` bits from the low end, alone in its word or not."""

    word: int
    shift: int
    alone: bool


def packed_size(kind: Kind) -> int | None:
    """The bytes a value packs into, or None if it needs words of its own."""
    match kind:
        case Int(bits=bits):
            return bits // 8
        case FixedBytes(size=size):
            return size
        case Bool() | Choice():
            return 1
        case Account():
            return 20
        case Option(item=item):
            sizes: list[int | None] = [1, packed_size(item)]
        case Record(members=members):
            sizes = [packed_size(member.kind) for member in members]
        case _:
            return None
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) and sum(known) <= 32 else None


def place(layouts: list[Layout]) -> tuple[list[Place], int]:
    """Lay `layouts` side by side: the place of each, and the number of words in all."""
    starts: list[tuple[int, int]] = []
    word, used = 0, 0  # the word being filled, and the bytes taken in it
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
    taken = [start[0] for start in starts]
    places = [Place(at, shift, taken.count(at) == 1) for at, shift in starts]
    return places, word + (used > 0)


@cache
def layout_of(kind: Kind) -> Layout:
    if packed_size(kind) is not None:
        return PackedLayout(kind)
    match kind:
        case Text():
            return TextLayout(kind, str.encode, bytes.decode)
        case Blob():
            return TextLayout(kind, bytes, bytes)
        case Sequence():
            return SequenceLayout(kind)
        case Option(item=item):
            return OptionLayout(kind, layout_of(item))
        case Record():
            return RecordLayout(kind)
        case _:
            raise AssertionError(kind)


class _Memo(dict[Any, Any]):
    """Values by their packed number or numbers. They are frozen, so equal numbers may share one value."""

    def __init__(self, build: Callable[[Any], Any], limit: int = _MEMO_LIMIT) -> None:
        super().__init__()
        self.build, self.limit = build, limit

    def __missing__(self, packed: Any) -> Any:
        if len(self) >= self.limit:
            self.clear()
        value = self[packed] = self.build(packed)
        return value


@dataclass
class Source:
    """Python source for one layout: what it checks and the names it uses."""

    checks: list[str] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)

    def name(self, thing: Any) -> str:
        key = f"k{len(self.names)}"
        self.names[key] = thing
        return key

    def pack(self, kind: Kind, value: str) -> str:
        """An expression for `value` as a number of `packed_size(kind)` bytes."""
        match kind:
            case Int(bits=256):
                self.checks.append(f"not {kind.lowest} <= {value} <= {kind.highest}")
                return f"({value} & {_FULL})" if kind.signed else value
            case Int(bits=bits) if kind.signed:
                self.checks.append(f"{value} + {-kind.lowest} >> {bits}")
                return f"({value} & {(1 << bits) - 1})"
            case Int(bits=bits):
                self.checks.append(f"{value} >> {bits}")
                return value
            case Bool():
                self.checks.append(f"{value} is not True and {value} is not False")
                return f"({value} + 0)"
            case Choice():
                return f"{self.name(kind.code_of())}[{value}]"
            case Account() | FixedBytes():
                self.checks.append(f"len({value}) != {packed_size(kind)}")
                return f"number({value})"
            case Option(item=item):
                inner = self.name(layout_of(item).pack)  # type: ignore[attr-defined]  # packed
                return f"(0 if {value} is None else 1 | {inner}({value}) << 8)"
            case Record(members=members):
                if kind.cls is None:
                    self.checks.append(f"len({value}) != {len(members)}")
                places, _ = place([layout_of(member.kind) for member in members])
                parts = [
                    f"{self.pack(member.kind, kind.reach(value, i))} << {at.shift}"
                    for i, (member, at) in enumerate(zip(members, places, strict=True))
                ]
                return f"({' | '.join(parts)})"
            case _:
                raise AssertionError(kind)

    def unpack(self, kind: Kind, word: str, shift: int) -> str:
        """An expression for the value that lies `shift` bits up in `word`."""
        size = packed_size(kind)
        assert size is not None
        number = word if shift == 0 else f"({word} >> {shift})"
        masked = f"({number} & {(1 << 8 * size) - 1})" if size < 32 else number
        match kind:
            case Int() if kind.signed:
                half = -kind.lowest
                return f"(({masked} ^ {half}) - {half})"
            case Int():
                return masked
            case Bool():
                return f"({masked} == 1)"
            case Choice():
                return f"{self.name(kind.member_of())}[{masked}]"
            case Account():
                return f"Address({masked}.to_bytes(20))"
            case FixedBytes():
                return f"{masked}.to_bytes({size})"
            case Option(item=item):
                inner = self.name(layout_of(item).unpack)  # type: ignore[attr-defined]  # packed
                return f"({inner}({masked} >> 8) if {number} & 1 else None)"
            case Record():
                return f"{self.name(_Memo(_record_builder(kind)))}[{masked}]"
            case _:
                raise AssertionError(kind)

    def compile(self, lines: list[str]) -> dict[str, Any]:
        space = self.names | {"Address": Address, "number": int.from_bytes, "blame": _blame}
        exec("\n".join(lines), space)
        return space

    def guard(self) -> str:
        return f"if {' or '.join(self.checks)}: raise OverflowError" if self.checks else "pass"


def _blame(kind: Kind, value: Any, wrong: Exception) -> Revert:
    """What to raise when storing `value` failed: the name that did not fit, unless the frame itself refused."""
    if isinstance(wrong, Revert) and not isinstance(wrong, Misfit):
        return wrong
    return misfit(kind, value, wrong)


def _record_builder(kind: Record) -> Callable[[int], Any]:
    source = Source()
    places, _ = place([layout_of(member.kind) for member in kind.members])
    parts = [
        source.unpack(m.kind, "w", at.shift) for m, at in zip(kind.members, places, strict=True)
    ]
    made = f"{source.name(kind.cls)}({', '.join(parts)})" if kind.cls else f"({', '.join(parts)},)"
    build: Callable[[int], Any] = source.compile([f"def build(w): return {made}"])["build"]
    return build


class PackedLayout:
    """A value of up to 32 bytes. It may share its word; alone in one, it is the word."""

    words = 1

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.size: int | None = packed_size(kind)
        source = Source()
        packed = source.pack(kind, "v")
        names = source.compile(
            [
                "def pack(v):",
                " try:",
                f"  {source.guard()}",
                f"  return {packed}",
                f" except Exception as wrong: raise blame({source.name(kind)}, v, wrong) from None",
                f"def unpack(w): return {source.unpack(kind, 'w', 0)}",
            ]
        )
        self.pack: Callable[[Any], int] = names["pack"]
        self.unpack: Callable[[int], Any] = names["unpack"]

    def load(self, frame: Words, slot: int) -> Any:
        return self.unpack(frame.sload(slot))

    def store(self, frame: Words, slot: int, value: Any) -> None:
        frame.sstore(slot, self.pack(value))

    def change(self, frame: Words, slot: int, before: Any, after: Any) -> None:
        if after is not before:
            frame.sstore(slot, self.pack(after))

    def clear(self, frame: Words, slot: int) -> None:
        frame.sstore(slot, 0)


class Members:
    """Named layouts side by side, each reached on its own: the fields of a contract."""

    size: int | None = None

    def __init__(self, names: list[str], layouts: list[Layout]) -> None:
        self.names, self.layouts = names, layouts
        self.places, self.words = place(layouts)

    def access(
        self, index: int
    ) -> tuple[Callable[[Any, int], Any], Callable[[Any, int, Any], None]]:
        """Functions that load and store one member of what starts at a slot."""
        layout, (word, shift, alone) = self.layouts[index], self.places[index]
        if not isinstance(layout, PackedLayout):
            return (
                lambda frame, slot: layout.load(frame, slot + word),
                lambda frame, slot, value: layout.store(frame, slot + word, value),
            )
        pack, unpack, mask = layout.pack, layout.unpack, (1 << 8 * (layout.size or 0)) - 1 << shift

        def store_shared(frame: Any, slot: int, value: Any) -> None:
            packed = pack(value) << shift
            frame.sstore(slot + word, frame.sload(slot + word) & ~mask | packed)

        def store_alone(frame: Any, slot: int, value: Any) -> None:
            frame.sstore(slot + word, pack(value))

        return (
            lambda frame, slot: unpack(frame.sload(slot + word) >> shift),
            store_alone if alone else store_shared,
        )

    def clear(self, frame: Words, slot: int) -> None:
        for at, layout in zip(self.places, self.layouts, strict=True):
            if at.shift == 0:  # the first in a word clears it for all
                layout.clear(frame, slot + at.word)


class RecordLayout(Members):
    """The members of a record, also read and written as a whole."""

    def __init__(self, kind: Record) -> None:
        super().__init__([m.name for m in kind.members], [layout_of(m.kind) for m in kind.members])
        self.kind = kind
        names = self._compile()
        self.load: Callable[[Any, int], Any] = names["load"]
        self.store: Callable[[Any, int, Any], None] = names["store"]
        self.change: Callable[[Any, int, Any, Any], None] = names["change"]

    def _compile(self) -> dict[str, Any]:
        source = Source()
        loads: list[str] = []
        made = self._loading(source, 0, loads)
        stores, changes = self._storing(source)
        wrong = f" except Exception as wrong: raise blame({source.name(self.kind)}, v, wrong) from None"
        return source.compile(
            ["def load(frame, slot):", *loads, f" return {made}"]
            + ["def store(frame, slot, v):", " try:", f"  {source.guard()}", *stores, wrong]
            + ["def change(frame, slot, o, v):", " try:", f"  {source.guard()}", *changes, wrong]
        )

    def _loading(self, source: Source, start: int, lines: list[str]) -> str:
        """An expression for the record that lies `start` words on; `lines` first read what it needs, inner records too."""
        parts, read = [], set[int]()
        for member, layout, at in zip(self.kind.members, self.layouts, self.places, strict=True):
            word = start + at.word
            if isinstance(layout, PackedLayout):
                if word not in read:
                    read.add(word)
                    lines.append(f" w{word} = frame.sload(slot + {word})")
                parts.append(source.unpack(member.kind, f"w{word}", at.shift))
            elif isinstance(layout, RecordLayout):
                parts.append(layout._loading(source, word, lines))
            else:
                lines.append(f" w{word} = {source.name(layout)}.load(frame, slot + {word})")
                parts.append(f"w{word}")
        cls = source.name(self.kind.cls) if self.kind.cls else ""
        return f"{cls}({', '.join(parts)}{'' if cls else ','})"

    def _storing(self, source: Source) -> tuple[list[str], list[str]]:
        """Lines that write all of the record `v`; lines that write what is another object in it than in `o`."""
        words: dict[int, list[tuple[str, str]]] = {}  # for each, how its parts are packed and whether they changed
        stores: list[str] = []
        changes: list[str] = []
        for i, (member, layout, at) in enumerate(
            zip(self.kind.members, self.layouts, self.places, strict=True)
        ):
            new, old = self.kind.reach("v", i), self.kind.reach("o", i)
            if isinstance(layout, PackedLayout):
                packed = f"{source.pack(member.kind, new)} << {at.shift}"
                words.setdefault(at.word, []).append((packed, f"{new} is not {old}"))
            else:
                inner, place = source.name(layout), f"slot + {at.word}"
                stores.append(f"  {inner}.store(frame, {place}, {new})")
                changes.append(
                    f"  if {new} is not {old}: {inner}.change(frame, {place}, {old}, {new})"
                )
        for word, parts in reversed(words.items()):
            write = f"frame.sstore(slot + {word}, {' | '.join(packed for packed, _ in parts)})"
            stores.insert(0, f"  {write}")
            changes.insert(0, f"  if {' or '.join(changed for _, changed in parts)}: {write}")
        return stores, changes


class OptionLayout:
    """A flag in a word of its own, then the words of a value too big to be packed with it."""

    size: int | None = None

    def __init__(self, kind: Option, item: Layout) -> None:
        self.kind, self.item = kind, item
        self.words = 1 + item.words

    def load(self, frame: Words, slot: int) -> Any:
        return self.item.load(frame, slot + 1) if frame.sload(slot) else None

    def store(self, frame: Words, slot: int, value: Any) -> None:
        if value is None:
            self.clear(frame, slot)
        else:
            frame.sstore(slot, 1)
            self.item.store(frame, slot + 1, value)

    def change(self, frame: Words, slot: int, before: Any, after: Any) -> None:
        if before is None or after is None:
            self.store(frame, slot, after)
        else:
            self.item.change(frame, slot + 1, before, after)

    def clear(self, frame: Words, slot: int) -> None:
        if frame.sload(slot):
            frame.sstore(slot, 0)
            self.item.clear(frame, slot + 1)


class SequenceLayout:
    """A length; at its keccak the items, several to a word where they pack."""

    size: int | None = None
    words = 1

    def __init__(self, kind: Sequence) -> None:
        self.kind = kind
        self.item = layout_of(kind.item)
        self.per_word = 32 // self.item.size if self.item.size else 1
        self._unpack_word = self._compile() if self.per_word > 1 else None
        self._tuples = _Memo(lambda key: tuple(self._unpack(*key)), _LONG_MEMO_LIMIT)

    def _compile(self) -> Callable[[int], list[Any]]:
        assert isinstance(self.item, PackedLayout) and self.item.size
        source = Source()
        item = source.unpack(self.item.kind, "(w >> s)", 0)
        shifts = tuple(8 * self.item.size * i for i in range(self.per_word))
        unpack: Callable[[int], list[Any]] = source.compile(
            [f"def unpack(w): return [{item} for s in {shifts}]"]
        )["unpack"]
        return unpack

    def load(self, frame: Words, slot: int) -> Any:
        count = frame.sload(slot)
        if count == 0:
            return self.kind.make()
        base, load = frame.data_slot(slot), self.item.load
        if self._unpack_word:
            words = [frame.sload(base + i) for i in range(-(-count // self.per_word))]
            return self._unpack(count, *words) if self.kind.make is list else self._tuples[count, *words]
        values = [load(frame, base + i * self.item.words) for i in range(count)]
        return values if self.kind.make is list else tuple(values)

    def _unpack(self, count: int, *words: int) -> list[Any]:
        assert self._unpack_word
        values = [value for word in words for value in self._unpack_word(word)]
        del values[count:]
        return values

    def store(self, frame: Words, slot: int, value: Any) -> None:
        if not isinstance(value, list | tuple):
            raise misfit(self.kind, value)
        before, count, base = frame.sload(slot), len(value), frame.data_slot(slot)
        if isinstance(self.item, PackedLayout):
            for i, word in enumerate(self._pack_words(value)):
                frame.sstore(base + i, word)
        else:
            for i, item in enumerate(value):
                self.item.store(frame, base + i * self.item.words, item)
        frame.sstore(slot, count)
        self._clear_items(frame, base, count, before)

    def change(self, frame: Words, slot: int, before: Any, after: Any) -> None:
        if isinstance(self.item, PackedLayout) or len(before) != len(after):
            self.store(frame, slot, after)
            return
        base, change, words = frame.data_slot(slot), self.item.change, self.item.words
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            if new is not old:
                change(frame, base + i * words, old, new)

    def _pack_words(self, values: list[Any] | tuple[Any, ...]) -> list[int]:
        assert isinstance(self.item, PackedLayout) and self.item.size
        size, width, pack = self.item.size, self.item.size * self.per_word, self.item.pack
        try:
            raw = b"".join([pack(value).to_bytes(size, "little") for value in values])
        except Misfit as wrong:
            raise misfit(self.kind, values, wrong) from None
        return [int.from_bytes(raw[i : i + width], "little") for i in range(0, len(raw), width)]

    def clear(self, frame: Words, slot: int) -> None:
        count = frame.sload(slot)
        if count:
            frame.sstore(slot, 0)
            self._clear_items(frame, frame.data_slot(slot), 0, count)

    def _clear_items(self, frame: Words, base: int, first: int, end: int) -> None:
        """Zero what is left of the items from `first` up to `end`; words shared with a kept item were just written."""
        if self.per_word > 1:
            for i in range(-(-first // self.per_word), -(-end // self.per_word)):
                frame.sstore(base + i, 0)
        else:
            for i in range(first, end):
                self.item.clear(frame, base + i * self.item.words)


class TextLayout:
    """Text or bytes: up to 31 bytes in the word beside twice their number, longer ones at its keccak."""

    size: int | None = None
    words = 1

    def __init__(
        self, kind: Kind, encode: Callable[[Any], bytes], make: Callable[[bytes], Any]
    ) -> None:
        self.kind, self.encode, self.make = kind, encode, make
        self._short = _Memo(lambda word: make(word.to_bytes(32)[: (word & 0xFF) >> 1]))

    def load(self, frame: Words, slot: int) -> Any:
        word = frame.sload(slot)
        if not word & 1:
            return self._short[word]
        size, base = word >> 1, frame.data_slot(slot)
        raw = b"".join([frame.sload(base + i).to_bytes(32) for i in range(-(-size // 32))])
        return self.make(raw[:size])

    def store(self, frame: Words, slot: int, value: Any) -> None:
        try:
            raw = self.encode(value)
        except (TypeError, UnicodeEncodeError) as wrong:
            raise misfit(self.kind, value, wrong) from None
        before, base, chunks = frame.sload(slot), frame.data_slot(slot), 0
        if len(raw) < 32:
            frame.sstore(slot, int.from_bytes(raw.ljust(32, b"\0")) | len(raw) << 1)
        else:
            frame.sstore(slot, len(raw) << 1 | 1)
            chunks = -(-len(raw) // 32)
            for i in range(chunks):
                frame.sstore(base + i, int.from_bytes(raw[32 * i : 32 * i + 32].ljust(32, b"\0")))
        self._clear_tail(frame, base, chunks, before)

    def change(self, frame: Words, slot: int, before: Any, after: Any) -> None:
        self.store(frame, slot, after)

    def clear(self, frame: Words, slot: int) -> None:
        before = frame.sload(slot)
        frame.sstore(slot, 0)
        self._clear_tail(frame, frame.data_slot(slot), 0, before)

    @staticmethod
    def _clear_tail(frame: Words, base: int, first: int, before: int) -> None:
        if before & 1:
            for i in range(first, -(-(before >> 1) // 32)):
                frame.sstore(base + i, 0)
