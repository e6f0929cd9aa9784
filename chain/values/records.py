"""Types of members side by side: dataclasses, fixed tuples, and options, which are a flag and a value."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cached_property, partial
from keyword import iskeyword
from types import FunctionType
from typing import Any, Final, NamedTuple, TypeAlias
from weakref import WeakSet

from chain.crypto.address import Address
from chain.foundation.dataclass import dataclass, is_generated
from chain.values.kind import (
    FindAddress,
    FindContent,
    MemoTable,
    Part,
    ReadableWords,
    Reading,
    Slots,
    ValueType,
    need,
    nested_json,
    packed_number,
    short_json,
    walk_side_by_side,
    word_at,
)
from chain.values.mismatch import BadData, ParseError, bad_data, join
from chain.values.numbers import BoolType
from chain.values.source import Item, Source, fail, generated

Convert: TypeAlias = Callable[[ValueType], ValueType]

# The classes of the records of all unions: their JSON has the name of the class, since their members do not tell them apart.
VARIANTS: Final[WeakSet[Any]] = WeakSet()
LONG_MEMO: Final = 1 << 12  # entries, each of which may be a whole list or a big record
_NOTHING: Final = ("null", "none")
_TOO_BIG: Final = 33  # bytes, more than a word has


class Offset(NamedTuple):
    """The position of a member: `word` words after the start, `shift` bits from the low end.

    `alone` is True if it does not share its word.
    """

    word: int
    shift: int
    alone: bool


def lay_out(kinds: Sequence[Any]) -> tuple[list[Offset], int]:
    """Lay values of these types side by side. Return the offset of each, and the number of words in total."""
    starts: list[tuple[int, int]] = []
    word, used = 0, 0  # the word being filled, and the bytes used in it
    for kind in kinds:
        if used + (kind.size or _TOO_BIG) > 32:
            word, used = word + (used > 0), 0
        starts.append((word, 8 * used))
        word, used = (word + kind.words, 0) if kind.size is None else (word, used + kind.size)
    used_words = [start[0] for start in starts]
    offsets = [Offset(index, shift, used_words.count(index) == 1) for index, shift in starts]
    return offsets, word + (used > 0)


@dataclass(frozen=True, slots=True)
class KeyMark:
    """The mark of the keys of a model and of the indexed fields of an event."""


@dataclass(frozen=True, slots=True)
class Field:
    """A named member and its type."""

    name: str
    kind: ValueType


class TupleLike(ValueType):
    """Members side by side, which is a tuple in the ABI, and packed in storage if it fits into a word."""

    @cached_property
    def size(self) -> int | None:
        size = sum(part.size or _TOO_BIG for part in self.parts)
        return size if size < _TOO_BIG else None

    @cached_property
    def is_dynamic(self) -> bool:
        return any(part.is_dynamic for part in self.parts)

    @property
    def abi_type(self) -> str:
        return f"({','.join(part.abi_type for part in self.parts)})"

    @cached_property
    def body_size(self) -> int:
        return sum(part.head_size for part in self.parts)

    @property
    def blank(self) -> bytes:
        heads, tails = b"", b""
        for part in self.parts:
            if part.is_dynamic:
                heads += (self.body_size + len(tails)).to_bytes(32)
                tails += part.blank
            else:
                heads += bytes(part.head_size)
        return heads + tails


@dataclass(frozen=True)
class OptionalType(TupleLike):
    """A value or None, with a flag to distinguish them. If it is too big to be packed, the flag has a word of its own."""

    item: ValueType

    zero = None
    is_fixed = False

    @property
    def name(self) -> str:
        return f"{self.item.name} | None"

    @property
    def parts(self) -> tuple[ValueType, ...]:
        return BoolType(), self.item

    @property
    def words(self) -> int:
        return 1 if self.size else 1 + self.item.words

    def map(self, convert: Convert) -> OptionalType:
        return OptionalType(convert(self.item))

    def split(self, value: object) -> list[Part] | None:
        return [] if value is None else [("", self.item, value)]

    def from_json(self, value: Any, path: str, find: FindAddress = Address) -> Any:
        return None if value is None else self.item.from_json(value, path, find)

    def json_of_word(self, word: str, path: str) -> Any:
        return None if word.lower() in _NOTHING else self.item.json_of_word(word, path)

    @property
    def spelled(self) -> str:
        return f"{self.item.spelled} | None"

    @property
    def column(self) -> str:
        return self.item.column

    @property
    def description(self) -> Any:
        return "option", self.item.description

    # In the ABI

    @property
    def solidity(self) -> str:
        return f"struct Optional{_solidity_word(self.item)}"

    @property
    def part_names(self) -> list[str]:
        return ["exists", "value"]

    def flat(self, source: Source, value: str) -> list[Item]:
        return [(f"{self.head_size}s", self.encoded(source, value))]

    def encoded(self, source: Source, value: str) -> str:
        offset = (64).to_bytes(32) if self.is_dynamic else b""
        present = source.bind((1).to_bytes(32) + offset)
        given = f"{present} + {source.bind(self.item.encode)}({value})"
        return f"({source.bind(self.blank)} if {value} is None else {given})"

    def decoded(self, reading: Reading, guard: str) -> str:
        flag = reading.small(guard)
        reading.check(f"{flag} > 1", guard)
        inner = self.item.decoded(reading, f"{guard} and {flag}" if guard else flag)
        return f"({inner} if {flag} else None)"

    @generated
    def read(self) -> Callable[[bytes, int], Any]:
        if not self.is_dynamic:
            return super().read
        read = self.item.read

        def read_option(data: bytes, at: int) -> tuple[object, int]:
            flag, offset = (
                int.from_bytes(data[at : at + 32]),
                int.from_bytes(data[at + 32 : at + 64]),
            )
            if flag > 1 or len(data) < at + 64 or (flag and offset < 64):
                fail()
            found: tuple[object, int] = read(data, at + offset) if flag else (None, at + 64)
            return found

        return read_option

    def walk(self, data: bytes, at: int, path: str) -> int:
        flag: list[tuple[str, ValueType]] = [(path, BoolType())]
        walk_side_by_side(flag, data, at, path)
        if word_at(data, at):
            return walk_side_by_side([*flag, (path, self.item)], data, at, path)
        need(data, at, self.body_size, path)
        return at + self.body_size

    # In storage

    def packed(self, source: Source, value: str) -> list[Item]:
        inner, size = Source(f"pack {self.item.name}"), self.size or 0
        inner.lines.append("if v is None: return absent")
        inner.names["absent"] = bytes(size)
        items = [*self.item.packed(inner, "v"), ("B", "1")]
        pack = inner.function("v", inner.packed(items))
        return [(f"{size}s", f"{source.bind(pack)}({value})")]

    def unpacked(self, source: Source, number: str) -> str:
        unpack = self.item.unpack
        return f"{source.bind(lambda n: unpack(n >> 8) if n & 1 else None)}({number})"

    def put(self, source: Source, value: str, slot: str) -> None:
        if self.size:
            super().put(source, value, slot)
            return
        inner = f"{source.bind(self.item.words_of)}({value}, {slot} + 1, content, out)"
        source.lines += [
            f"if {value} is None: out[{slot}] = 0",
            f"else: out[{slot}] = 1; {inner}",
        ]

    def differ(
        self, before: Any, after: Any, slot: int, content: FindContent, old: Slots, new: Slots
    ) -> None:
        if self.size or before is None or after is None:
            super().differ(before, after, slot, content, old, new)
        else:
            self.item.differ(before, after, slot + 1, content, old, new)

    def exact(self, source: Source, value: str, before: str = "") -> str:
        same = f"{value} is {before} or " if before else ""
        return f"({same}{value} is None or {self.item.exact(source, value)})"

    def loaded(self, source: Source, slot: str) -> str:
        if self.size:
            return super().loaded(source, slot)
        inner = f"{source.bind(self.item.load)}(frame, {slot} + 1)"
        return f"({inner} if sload({slot}) else None)"

    def used(self, frame: ReadableWords, slot: int) -> list[int]:
        if self.size:
            return [slot]
        return [slot, *self.item.used(frame, slot + 1)] if frame.sload(slot) else []


@dataclass(frozen=True)
class StructType(TupleLike):
    """Named members side by side: a dataclass, or a fixed tuple whose members are named by number."""

    name: str
    members: tuple[Field, ...]
    cls: Callable[..., object] | None = None  # None: a fixed tuple
    array: bool = False  # all members have one type; the ABI writes `T[3]`

    @cached_property
    def parts(self) -> tuple[ValueType, ...]:
        return tuple(member.kind for member in self.members)

    @cached_property
    def places(self) -> list[Offset]:
        """The offset of each member from the slot."""
        return lay_out(self.parts)[0]

    @cached_property
    def words(self) -> int:
        return lay_out(self.parts)[1]

    @cached_property
    def is_fixed(self) -> bool:
        return self.size is not None or all(part.is_fixed for part in self.parts)

    def map(self, convert: Convert) -> StructType:
        members = tuple(Field(member.name, convert(member.kind)) for member in self.members)
        return replace(self, members=members)

    def split(self, value: object) -> list[Part] | None:
        names = [member.name for member in self.members]
        if self.cls is None and isinstance(value, list | tuple) and len(value) == len(names):
            steps = [f"[{name}]" if name.isdigit() else name for name in names]
            return list(zip(steps, self.parts, value, strict=True))
        if self.cls is not None and all(hasattr(value, name) for name in names):
            values = [getattr(value, name) for name in names]
            return list(zip(names, self.parts, values, strict=True))
        return None

    @property
    def example(self) -> str:
        members = ", ".join([f'"{abi_name(member.name)}": …' for member in self.members])
        return "[…, …]" if self.array else f"{{{members}}}"

    def stores(self, value: object) -> bool:
        return value.__class__ is (self.cls or tuple)

    def build(self, values: Sequence[object]) -> object:
        """Return the value with these members."""
        make = self.maker
        return tuple(values) if make is None else make(*values)

    @cached_property
    def maker(self) -> Callable[..., object] | None:
        """The class of a record, which makes it of its members; None for a fixed tuple."""
        return self.cls

    @property
    def zero(self) -> object:
        return self.build([part.zero for part in self.parts])

    @property
    def has_author_class(self) -> bool:
        return self.cls is not None or any(part.has_author_class for part in self.parts)

    @cached_property
    def is_changeable(self) -> bool:
        is_frozen = self.cls is None or is_frozen_class(self.cls)
        return not is_frozen or any(part.is_changeable for part in self.parts)

    @cached_property
    def runs_author_code(self) -> bool:
        has_own = hasattr(self.cls, "__post_init__") or any(
            isinstance(method := getattr(self.cls, name), FunctionType) and not is_generated(method)
            for name in ("__init__", "__eq__", "__ne__", "__hash__")
        )
        return has_own or any(part.runs_author_code for part in self.parts)

    def expectation(self, value: object = 0) -> str:
        size = f" (a tuple of {len(self.members)})" if self.cls is None else ""
        return f"is not {self.name}{size}"

    @property
    def abi_type(self) -> str:
        if self.array:
            return f"{self.members[0].kind.abi_type}[{len(self.members)}]"
        return super().abi_type

    def from_json(self, value: Any, path: str, find: FindAddress = Address) -> Any:
        if not isinstance(value, list | tuple | Mapping):
            raise self.misread(value, path)
        if self.cls in VARIANTS and isinstance(value, Mapping) and [*value] == [self.name]:
            value = value[self.name]
        return self.build(members_from_json(self.members, value, path, find, self.defaults))

    @cached_property
    def defaults(self) -> dict[str, Callable[[], object]]:
        """The functions that return the default of a member, by name."""
        defaults = dict[str, Callable[[], object]]()
        for name, value in getattr(self.cls, "_field_defaults", {}).items():  # of a NamedTuple
            defaults[name] = partial(_same, value)
        for item in fields(self.cls) if is_dataclass(self.cls) else ():
            if item.default_factory is not MISSING:
                defaults[item.name] = item.default_factory
            elif item.default is not MISSING:
                defaults[item.name] = partial(_same, item.default)
        return defaults

    def json_of_word(self, word: str, path: str) -> Any:
        return nested_json(self, word, path)

    @property
    def spelled(self) -> str:
        inner = ", ".join(f"{member.name}: {member.kind.spelled}" for member in self.members)
        return f"{self.name}({inner})"

    @property
    def description(self) -> Any:
        shape = "record" if self.cls is not None else "array" if self.array else "members"
        return shape, self.name, described_members(self.members)

    @property
    def solidity(self) -> str:
        if self.cls is not None:
            return f"struct {self.name}"
        return f"struct Tuple{''.join(map(_solidity_word, self.parts))}"

    @property
    def part_names(self) -> list[str]:
        return [f"_{m.name}" if m.name.isdigit() else m.name for m in self.members]

    # Generated source

    def destructured(self, source: Source, value: str, is_stored: bool = False) -> list[str]:
        """Add lines that put the members of a record into variables, and return these.

        In the ABI, a dataclass may be replaced by any object with the same members, and a tuple by a list.
        """
        if self.cls is not None:
            if is_stored:
                source.lines.append(f"if {value}.__class__ is not {source.bind(self.cls)}: fail()")
            return [source.var(f"{value}.{member.name}") for member in self.members]
        names = [source.variable() for _ in self.members]
        others = "" if is_stored else f" and not isinstance({value}, (tuple, list))"
        source.lines.append(f"if {value}.__class__ is not tuple{others}: fail()")
        source.lines.append(f"[{', '.join(names)}] = {value}")
        return names

    def constructed(self, source: Source, members: Sequence[str]) -> str:
        """Return source that makes a record of members."""
        inner = ", ".join(members)
        return f"({inner},)" if self.cls is None else f"{source.bind(self.maker)}({inner})"

    def restored(self, source: Source, members: Sequence[str]) -> str:
        """Return source that makes a record of its stored members, without the author's code."""
        if not self.runs_author_code:
            return self.constructed(source, members)
        return f"{source.bind(self._restorer)}({', '.join(members)})"

    def restore(self, members: Sequence[object]) -> Any:
        """Return the record with these members, made without the author's code."""
        return self._restorer(*members)

    @cached_property
    def _restorer(self) -> Callable[..., Any]:
        return _restorer(self.cls, [member.name for member in self.members])

    # In the ABI

    def flat(self, source: Source, value: str) -> list[Item]:
        names = self.destructured(source, value)
        pairs = zip(self.parts, names, strict=True)
        return [item for part, name in pairs for item in part.flat(source, name)]

    def encoded(self, source: Source, value: str) -> str:
        return self.heads_and_tails(source, self.destructured(source, value))

    def heads_and_tails(self, source: Source, values: Sequence[str], first: bytes = b"") -> str:
        """Return source of the encoding of members in variables, behind these first bytes."""
        heads = [(f"{len(first)}s", source.bind(first))] if first else []
        tails: list[str] = []
        end = str(self.body_size)
        for part, value in zip(self.parts, values, strict=True):
            if not part.is_dynamic:
                heads += part.flat(source, value)
                continue
            heads.append(("24xQ", end))
            tails.append(source.var(part.encoded(source, value)))
            end = source.var(f"{end} + len({tails[-1]})")
        pieces = [source.packed(heads), *tails] if heads else ["b''"]
        return " + ".join(pieces) if len(pieces) < 3 else f"join(({', '.join(pieces)}))"

    def decoded(self, reading: Reading, guard: str) -> str:
        return self.constructed(reading, [reading.part(part, guard) for part in self.parts])

    def walk(self, data: bytes, at: int, path: str) -> int:
        names = [join(path, f"[{m.name}]" if m.name.isdigit() else m.name) for m in self.members]
        end = walk_side_by_side(list(zip(names, self.parts, strict=True)), data, at, path)
        if self.cls is not None:
            self.construct(data, at, path)
        return end

    def complaint(self, word: bytes, path: str, error: Exception) -> BadData:
        return bad_data(path, str(error) or repr(error))

    # In storage

    def packed(self, source: Source, value: str) -> list[Item]:
        names = self.destructured(source, value, is_stored=True)
        items = [part.packed(source, name) for part, name in zip(self.parts, names, strict=True)]
        return [item for part in reversed(items) for item in part]

    def unpacked(self, source: Source, number: str) -> str:
        if self.is_changeable:
            return f"{source.bind(self._build)}({number})"
        return f"{source.bind(self._known)}[{number}]"

    @generated
    def _build(self) -> Callable[[int], Any]:
        """The function that makes a packed record of its number."""
        source = self.source("build")
        return source.function("n", self._unpacked_members(source, ["n"]))

    @generated
    def _known(self) -> MemoTable[int, Any]:
        """The packed records by their numbers. What builds them is generated for the first one."""
        return MemoTable(lambda number: self._build(number))

    @generated
    def _known_by_words(self) -> MemoTable[tuple[int, ...], Any]:
        """The records by their words, if all members are packed."""
        source = self.source("build")
        names = [source.variable() for _ in range(self.words)]
        source.lines.append(f"{', '.join(names)}, = words")
        made = self._unpacked_members(source, names)
        return MemoTable(source.function("words", made), LONG_MEMO)

    def _unpacked_members(self, source: Source, words: Sequence[str]) -> str:
        """Return source of the record whose packed members are in these words."""
        pairs = zip(self.parts, self.places, strict=True)
        return self.restored(
            source,
            [
                part.unpacked(source, _masked(words[place.word], place.shift, part.size or 0))
                for part, place in pairs
            ],
        )

    @cached_property
    def _loose(self) -> list[tuple[ValueType, int]]:
        """The members that do not always take the same slots, each with its word."""
        places = zip(self.parts, self.places, strict=True)
        return [
            (part, offset.word) for part, offset in places if not part.is_fixed and not part.size
        ]

    def loose(self, frame: ReadableWords, slot: int) -> list[int]:
        return [place for part, word in self._loose for place in part.loose(frame, slot + word)]

    @cached_property
    def shared(self) -> dict[int, list[int]]:
        """The indexes of the packed members, by the word they are in."""
        members: dict[int, list[int]] = {}
        for i, (part, offset) in enumerate(zip(self.parts, self.places, strict=True)):
            if part.size is not None:
                members.setdefault(offset.word, []).append(i)
        return members

    def _whole(self) -> Iterator[tuple[int, ValueType, int]]:
        """The members with words of their own: the index, type and word of each."""
        for i, (part, offset) in enumerate(zip(self.parts, self.places, strict=True)):
            if part.size is None:
                yield i, part, offset.word

    def put(self, source: Source, value: str, slot: str) -> None:
        if self.size:
            super().put(source, value, slot)
            return
        names = self.destructured(source, value, is_stored=True)
        for word, indexes in self.shared.items():
            kinds, values = [self.parts[i] for i in indexes], [names[i] for i in indexes]
            number = packed_number(source, kinds, values)
            source.lines.append(f"out[{_after(slot, word)}] = {number}")
        for i, part, word in self._whole():
            part.put(source, names[i], _after(slot, word))

    @generated
    def differ(self) -> Callable[..., None]:
        if self.size:
            return super().differ
        source = self.source("change")
        after = self.destructured(source, "after", is_stored=True)
        before = self.destructured(source, "before", is_stored=True)
        for word, indexes in self.shared.items():
            pairs = " or ".join([f"{after[i]} is not {before[i]}" for i in indexes])
            source.lines.append(f"if {pairs}:")
            start, kinds = len(source.lines), [self.parts[i] for i in indexes]
            for out, values in (("new", after), ("old", before)):
                number = packed_number(source, kinds, [values[i] for i in indexes])
                source.lines.append(f"{out}[{_after('slot', word)}] = {number}")
            source.lines[start:] = [f" {line}" for line in source.lines[start:]]
        for i, part, word in self._whole():
            differ = source.bind(part.differ)
            arguments = f"{before[i]}, {after[i]}, {_after('slot', word)}, content, old, new"
            source.lines.append(f"if {after[i]} is not {before[i]}: {differ}({arguments})")
        return source.function("before, after, slot, content, old, new", "None")

    def exact(self, source: Source, value: str, before: str = "") -> str:
        steps = [f".{m.name}" if self.cls else f"[{i}]" for i, m in enumerate(self.members)]
        parts = [
            part.exact(source, value + step, before and before + step)
            for part, step in zip(self.parts, steps, strict=True)
        ]
        same = f"{value} is {before} or " if before else ""
        own = f"{value}.__class__ is {source.bind(self.cls or tuple)}"
        return f"({same}{' and '.join([own, *parts])})"

    def loaded(self, source: Source, slot: str) -> str:
        if self.size:
            return super().loaded(source, slot)
        if self.words == len(self.shared) > 0 and not self.is_changeable:
            known = source.bind(self._known_by_words)
            words = [f"sload({_after(slot, word)})" for word in range(self.words)]
            return f"{known}[{', '.join(words)},]"
        parts: dict[int, str] = {}
        read: dict[int, str] = {}
        for i, (part, offset) in enumerate(zip(self.parts, self.places, strict=True)):
            place = _after(slot, offset.word)
            if part.size is None:
                parts[i] = source.var(part.loaded(source, place))
                continue
            if offset.word not in read:
                read[offset.word] = source.var(f"sload({place})")
            parts[i] = part.unpacked(source, _masked(read[offset.word], offset.shift, part.size))
        return self.restored(source, list(parts.values()))

    def used(self, frame: ReadableWords, slot: int) -> list[int]:
        slots = [slot + word for word in self.shared]
        for _, part, word in self._whole():
            slots += part.used(frame, slot + word)
        return slots


def members_from_json(
    members: Sequence[Field],
    value: Any,
    path: str,
    find: FindAddress = Address,
    defaults: Mapping[str, Callable[[], object]] = {},
) -> list[Any]:
    """Return the values of named members, from an object or from a list in their order; those left out have their defaults."""
    names = [member.name for member in members]
    by_name = (
        by_field(value, names)
        if isinstance(value, Mapping)
        else dict(zip(names, value, strict=False))
    )
    missing = [name for name in names if name not in by_name and name not in defaults]
    if missing or len(value) > len(by_name) or not {*by_name} <= {*names}:
        raise ParseError(f"{path} = {short_json(value)} is incomplete: write {', '.join(names)}")
    return [
        member.kind.from_json(by_name[member.name], f"{path}.{member.name}", find)
        if member.name in by_name
        else defaults[member.name]()
        for member in members
    ]


def _same(value: object) -> object:
    return value


def by_field(told: Mapping[str, object], known: Container[str]) -> dict[str, Any]:
    """Return the values by field name: the ABI's `from` is the field `from_`. `told` has the values by ABI name."""
    return {field_name(name, known): value for name, value in told.items()}


def abi_name(name: str) -> str:
    """Return the name of a field or argument outside Python: `from_` is `from`, a keyword in Python."""
    return name[:-1] if name.endswith("_") and iskeyword(name[:-1]) else name


def field_name(name: str, known: Container[str]) -> str:
    """Return the field called `name` in Python or in the ABI. `known` are the names of the fields."""
    other = f"{name}_" if iskeyword(name) else abi_name(name)
    return other if other in known and name not in known else name


def described_members(members: Sequence[Field]) -> tuple[tuple[str, Any], ...]:
    """Return named members as plain data."""
    return tuple((member.name, member.kind.description) for member in members)


def is_frozen_class(cls: Any) -> bool:
    """True for a frozen dataclass and a NamedTuple, whose members are never set."""
    return issubclass(cls, tuple) or cls.__dataclass_params__.frozen


def _restorer(cls: Any, names: Sequence[str]) -> Callable[..., Any]:
    """Return the function that makes an object with these members, without running its initializer."""

    def restore(*members: object) -> Any:
        restored = object.__new__(cls)
        for name, member in zip(names, members, strict=True):
            object.__setattr__(restored, name, member)
        return restored

    return restore


def _solidity_word(kind: ValueType) -> str:
    """Return a type in a form that can be part of a name: a tuple is a struct in Solidity, and named after its parts."""
    word = kind.solidity.rpartition(" ")[2].replace("[]", "Array")
    return word[0].upper() + word[1:]


def _after(slot: str, word: int) -> str:
    """Return source of the slot that is `word` words after another one."""
    return f"{slot} + {word}" if word else slot


def _masked(number: str, shift: int, size: int) -> str:
    """Return source of the `size` bytes at bit `shift` of a number."""
    shifted = f"({number} >> {shift})" if shift else number
    return f"({shifted} & {(1 << 8 * size) - 1})" if size < 32 else shifted
