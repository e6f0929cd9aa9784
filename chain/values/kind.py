"""The base of all value types: one class per kind of value, which knows everything about its values.

A type encodes and decodes them for the ABI, lays them out in 32-byte words of storage, loads and stores them there, and names
itself. Its functions are generated when they are first needed, and shared by equal types.
"""

from __future__ import annotations

import json
import struct
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar

from chain.crypto.address import Address
from chain.values.mismatch import BadData, ParseError, ValueMismatch, bad_data, join, short_repr
from chain.values.nesting import shallow
from chain.values.source import Item, Source, generated

K = TypeVar("K")
V = TypeVar("V")

Encoder: TypeAlias = Callable[[object], bytes]
Decoder: TypeAlias = Callable[[bytes, int], Any]
# The path of a part in its value, such as `[0]` or `tile`; its type; the part.
Part: TypeAlias = tuple[str, "ValueType", object]

FindContent: TypeAlias = Callable[[int], int]  # the slot where the content of a slot begins
Slots: TypeAlias = dict[int, int]  # words by slot

FindAddress: TypeAlias = Callable[[str], Address]  # the address of a text, or a ValueError
_LONGEST: Final = 200  # characters of invalid JSON that are shown

# Columns of SQL
NUMBER: Final = "integer"
TEXT: Final = "text"
HEX: Final = "text collate nocase"  # matched in any case
ANY: Final = ""  # a number or a text, each stored as it is

_ZEROS: Final = bytes(24)  # the upper bytes of an offset or a flag


class ReadableWords(Protocol):
    """The part of a frame that reading a value uses."""

    def sload(self, slot: int) -> int: ...
    def data_slot(self, slot: int) -> int: ...


class Words(ReadableWords, Protocol):
    """The part of a frame that storing a value uses."""

    def sstore(self, slot: int, word: int) -> None: ...


class Reading(Source):
    """A decoder that is being written: the format of one `struct.unpack`, and source that makes values of its results.

    If the source `guard` is false at run time, the value is absent and its bytes may be anything.
    """

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self.formats: list[str] = []
        self.targets: list[str] = []
        self.checks: list[str] = []
        self.tails: list[tuple[str, str]] = []  # offset, reader

    def target(self, form: str) -> str:
        """Add an item to the format, and return the variable that receives it."""
        self.formats.append(form)
        self.targets.append(f"t{len(self.targets)}")
        return self.targets[-1]

    def small(self, guard: str) -> str:
        """Add a word of which only the last 8 bytes may be non-zero, and return the variable with their number."""
        self.check(f"{self.target('24s')} != {self.bind(_ZEROS)}", guard)
        return self.target("Q")

    def check(self, wrong: str, guard: str) -> None:
        """Refuse the data if the source `wrong` is true; with a `guard`, only if that is true too."""
        self.checks.append(f"{guard} and ({wrong})" if guard else wrong)

    def part(self, kind: ValueType, guard: str = "") -> str:
        """Read a value at its place in the head, and return the expression for it."""
        if not kind.is_dynamic:
            return kind.decoded(self, guard)
        self.tails.append((self.small(guard), self.bind(kind.read)))
        return f"v{len(self.tails) - 1}"

    @property
    def form(self) -> struct.Struct:
        return struct.Struct(">" + "".join(self.formats))

    @property
    def results(self) -> str:
        """The variables for all items."""
        return f"({', '.join(self.targets)},)"

    @property
    def refusals(self) -> str:
        """The condition under which the data are refused."""
        return " or ".join(self.checks)


class ValueType:
    """The type of a value: a plain description, which compares and hashes by what it describes."""

    if TYPE_CHECKING:  # a field of one of these names would take a property for its default

        @property
        def name(self) -> str: ...

        @property
        def size(self) -> int | None:
            """The number of bytes that a value packs into, or None if it needs words of its own."""

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
        """True if the author's code runs when a value is made or compared, such as `__post_init__`. Such values are made again
        for each reader, who pays for it: what is cached would be free.
        """
        return any(part.runs_author_code for part in self.parts)

    @cached_property
    def is_changeable(self) -> bool:
        """True if a value can be changed in place, or a part of it can."""
        return any(part.is_changeable for part in self.parts)

    @property
    def spelled(self) -> str:
        """The type with all its parts: `Game(board: list of Cube(x: i8, y: i8), turn: u8)`."""
        return self.name

    @property
    def column(self) -> str:
        """The type of a column of SQL, which says how its values are compared."""
        return TEXT

    @property
    def description(self) -> Any:
        """The type as plain data: texts, numbers and tuples."""
        return self.name

    @property
    def solidity(self) -> str:
        """The type in Solidity's spelling."""
        return self.abi_type

    @property
    def part_names(self) -> list[str]:
        """The names of the parts in the ABI."""
        return []

    def expectation(self, value: object = 0) -> str:
        """Describe what `value` should be, as the end of a sentence that begins with it."""
        return f"is not {self.name}"

    def stores(self, value: object) -> bool:
        """Return True if storage returns a value of this class as it is: it takes a tuple for a tuple, and no list."""
        return True

    # As people and other programs write it

    @property
    def choices(self) -> list[str]:
        """The texts of all values, if these are few."""
        return []

    @property
    def example(self) -> str:
        """The form of the JSON that a value is typed as, if it is JSON."""
        return ""

    def parse(self, text: str) -> object:
        """Return the value that this text stands for, or raise a ValueError, with a suggestion if there is one."""
        raise ValueError

    def from_json(self, value: Any, path: str, find: FindAddress = Address) -> Any:
        """Return the value that decoded JSON stands for, or raise a `ParseError`.

        An integer may be a number, decimal digits or `0x1f`; an Enum its name or its code; bytes hex after `0x`; an address hex
        or a known name; a record an object or a list; None is null. `path` leads to the value, for messages.
        """
        if not isinstance(value, str):
            raise self.misread(value, path)
        try:
            parsed = self.parse(value)
        except ValueError as error:
            remedy = f": {error}" if error.args else ""
            raise ParseError(f"{path} = {value!r} {self.expectation(value)}{remedy}") from None
        return self.fitting(parsed, path)

    def from_word(self, word: str, path: str, find: FindAddress = Address) -> Any:
        """Return the value that a word stands for that a person typed."""
        return self.from_json(self.json_of_word(word, path), path, find)

    def fitting(self, value: object, path: str) -> Any:
        """Return the value if it is in the range of its type, and refuse it otherwise, before a transaction is sent."""
        if not accepts(self, value):
            raise ParseError(f"{path} = {short_repr(value)} {self.expectation(value)}")
        return value

    def misread(self, value: object, path: str) -> ParseError:
        """Return the error about JSON of another form."""
        return ParseError(f"{path} = {short_json(value)} {self.expectation(value)}")

    def json_of_word(self, word: str, path: str) -> Any:
        """Return the JSON that a typed word stands for: JSON for a list or a record, `null` for None, else as it is."""
        return word

    def source(self, purpose: str) -> Source:
        """Return the source of a function that is to be written for this type."""
        return Source(f"{purpose} {self.name or 'arguments'}")

    # In the ABI

    @cached_property
    def has_abi(self) -> bool:
        """True if values can be arguments, results, and members of events and models."""
        return all(part.has_abi for part in self.parts)

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

    @property
    def blank(self) -> bytes:
        """The encoding of an absent value: as short as possible, all zero except for the offsets."""
        return bytes(self.body_size)

    def flat(self, source: Source, value: str) -> list[Item]:
        """Return the items of the encoding of a value of fixed size in a variable. The source refuses what is wrong."""
        raise AssertionError(self)

    def encoded(self, source: Source, value: str) -> str:
        """Return source of the encoding of a value in a variable."""
        if self.is_dynamic:
            return f"{source.bind(self.encode)}({value})"
        return source.packed(self.flat(source, value))

    def decoded(self, reading: Reading, guard: str) -> str:
        """Plan to read a value of fixed size, and return source of it."""
        raise AssertionError(self)

    @generated
    def encode(self) -> Encoder:
        """The function that returns the encoding of a value. It raises `ValueMismatch`."""
        source = self.source("encode")
        return source.function("v", self.encoded(source, "v"), misfit(source, self))

    @generated
    def check(self) -> Encoder:
        """The same function without explanations of what it refuses."""
        source = self.source("check")
        return source.function("v", self.encoded(source, "v"))

    @generated
    def read(self) -> Decoder:
        """The function that reads a value, with the end of its data if it is dynamic. Any exception means bad data.

        Its tails are accepted only in order and without overlap.
        """
        source = Reading(f"decode {self.name or 'arguments'}")
        value = self.decoded(source, "")
        lines, form = source.lines, source.form
        lines.append(f"{source.results} = {source.bind(form.unpack_from)}(data, at)")
        if source.checks:
            lines.append(f"if {source.refusals}: fail()")
        end = f"at + {form.size}"
        for i, (offset, read) in enumerate(source.tails):
            lines.append(f"if at + {offset} < {end}: fail()")
            lines.append(f"v{i}, e{i} = {read}(data, at + {offset})")
            end = f"e{i}"
        return source.function("data, at", f"{value}, {end}" if self.is_dynamic else value)

    @generated
    def decode(self) -> Decoder:
        """The function from (bytes, offset) to the value whose body is at the offset. It raises `BadData`."""
        read, dynamic = self.read, self.is_dynamic

        def decode(data: bytes, at: int) -> object:
            try:
                result = read(data, at)
            except MemoryError:
                raise
            except Exception as error:
                raise explain_data(self, data, at, error) from None
            return result[0] if dynamic else result

        return decode

    def walk(self, data: bytes, at: int, path: str) -> int:
        """Read a value and return the end of its body, or raise a `BadData` with the path to the part that is wrong."""
        need(data, at, 32, path)
        self.construct(data, at, path)
        return at + 32

    def construct(self, data: bytes, at: int, path: str) -> None:
        """Make the value, whose parts were found valid."""
        try:
            self.read(data, at)
        except MemoryError:
            raise
        except Exception as error:
            raise self.complaint(data[at : at + 32], path, error) from None

    def complaint(self, word: bytes, path: str, error: Exception) -> BadData:
        """Return the error about a word, or about parts that are valid on their own."""
        value = self.written_word(word)
        text = f"{value} {self.expectation()}"
        return BadData(f"{path} = {text}" if path else text)

    def written_word(self, word: bytes) -> str:
        return str(int.from_bytes(word))

    # In storage

    @property
    def words(self) -> int:
        """The number of words of a value, without those at hashed slots."""
        return 1

    @property
    def is_fixed(self) -> bool:
        """True if every value takes the same slots."""
        return True

    @cached_property
    def key(self) -> Encoder:
        """The function that encodes a key in the form in which it is hashed: text and bytes as they are, all else as words."""
        return self.encode

    def key_of(self, key: bytes) -> Any:
        """Return the key that has this form."""
        return self.decode(key, 0)

    def packed(self, source: Source, value: str) -> list[Item]:
        """Return the items of a value of `size` bytes, the highest first. The source refuses what is wrong."""
        raise AssertionError(self)

    def unpacked(self, source: Source, number: str) -> str:
        """Return source of the value that is packed as `number`."""
        raise AssertionError(self)

    def put(self, source: Source, value: str, slot: str) -> None:
        """Add lines that put the words of a value into the dict `out`, by slot."""
        source.lines.append(f"out[{slot}] = {packed_number(source, [self], [value])}")

    def loaded(self, source: Source, slot: str) -> str:
        """Return source of the value at a slot of `frame`, whose words `sload` reads."""
        return self.unpacked(source, f"sload({slot})")

    def used(self, frame: ReadableWords, slot: int) -> Iterable[int]:
        """Return the slots that the stored value takes."""
        return range(slot, slot + self.words)

    def loose(self, frame: ReadableWords, slot: int) -> list[int]:
        """Return those of these slots that another value may not take."""
        return [*self.used(frame, slot)]

    @generated
    def words_of(self) -> Callable[[Any, int, FindContent, Slots], Slots]:
        """The function from a value, its slot, what finds the slot of a content, and a dict, to that dict with its words."""
        source = self.source("store")
        self.put(source, "v", "slot")
        otherwise = misfit(source, self, is_stored=True)
        return source.function("v, slot, content, out", "out", otherwise)

    @generated
    def load(self) -> Callable[[Any, int], Any]:
        """The function from a frame and a slot to the value stored there."""
        source = self.source("load")
        source.lines.append("sload = frame.sload")
        return source.function("frame, slot", self.loaded(source, "slot"))

    @generated
    def pack(self) -> Callable[[object], int]:
        """The function from a value to its number of `size` bytes."""
        source = self.source("pack")
        packed = packed_number(source, [self], ["v"])
        return source.function("v", packed, misfit(source, self, is_stored=True))

    @generated
    def unpack(self) -> Callable[[int], Any]:
        """The function from such a number, and anything above it, to the value."""
        source, size = self.source("unpack"), self.size or 0
        return source.function("n", self.unpacked(source, f"(n & {(1 << 8 * size) - 1})"))

    def refuse_misfit(self, value: object) -> None:
        """Refuse a value that cannot be stored, with a `ValueMismatch`."""
        if self.size is None:
            self.words_of(value, 0, _same_slot, {})
        else:
            self.pack(value)

    def take(self, work: Any, place: Any) -> Any:
        """Return the value at a place of a unit of work, made for this reader."""
        slot, shift = place
        if self.size is None:
            return self.load(work.words, slot)
        return self.unpack(work.words.sload(slot) >> shift)

    def settle(self, words: Any, place: Any, value: object) -> None:
        """Write what differs between a value and the words at its place."""
        slot, shift = place
        if self.size is None:
            new = self.words_of(value, slot, words.data_slot, {})
            if not self.is_fixed:
                new = {**dict.fromkeys(self.used(words.unpaid, slot), 0), **new}
        else:
            others = words.peek(slot) & ~((1 << 8 * self.size) - 1 << shift)
            new = {slot: others | self.pack(value) << shift}
        for at, word in new.items():
            if words.peek(at) != word:
                words.sstore(at, word)

    def store(self, frame: Words, slot: int, value: object) -> None:
        """Write a value. One that does not fit writes nothing."""
        if self.size is None:
            self.write(frame, slot, self.words_of(value, slot, frame.data_slot, {}))
        else:
            frame.sstore(slot, self.pack(value))

    def write(self, frame: Words, slot: int, words: dict[int, int]) -> None:
        """Write the words of a value, and clear those of the value before it that it does not use."""
        before = () if self.is_fixed else self.loose(frame, slot)
        for place, word in words.items():
            frame.sstore(place, word)
        for place in before:
            if place not in words:
                frame.sstore(place, 0)

    def change(self, frame: Words, slot: int, before: object, after: object) -> tuple[Slots, Slots]:
        """Write what differs between `before`, which is stored, and `after`. Return the words of the parts that differ."""
        old: Slots = {}
        new: Slots = {}
        if after is before:
            return old, new
        try:
            self.differ(before, after, slot, frame.data_slot, old, new)
        except MemoryError:
            raise
        except Exception as wrong:
            raise explain_stored(self, after, wrong) from None
        for place, word in new.items():
            if old.get(place, 0) != word:
                frame.sstore(place, word)
        for place, word in old.items():
            if word and place not in new:
                frame.sstore(place, 0)
        return old, new

    def differ(
        self, before: Any, after: Any, slot: int, content: FindContent, old: Slots, new: Slots
    ) -> None:
        """Put the words of two values into dicts by slot, but for words of parts that are the same objects in both."""
        self.words_of(before, slot, content, old)
        self.words_of(after, slot, content, new)

    @generated
    def is_exact(self) -> Callable[[object], bool]:
        """The function that returns True if storage returns a value as it is, and not as an equal one of another class."""
        source = self.source("check")
        return source.function("v", self.exact(source, "v"))

    @generated
    def stays_exact(self) -> Callable[[object, object], bool]:
        """The same function of a value and the one that storage returned before, whose parts need no check."""
        source = self.source("check")
        return source.function("v, before", self.exact(source, "v", "before"))

    def exact(self, source: Source, value: str, before: str = "") -> str:
        """Return source of that for a value in a variable, and perhaps the one before it."""
        return f"{value}.__class__ is {source.bind(self.zero.__class__)}"

    def clear(self, frame: Words, slot: int) -> None:
        for place in [*self.used(frame, slot)]:
            frame.sstore(place, 0)


def packed_number(source: Source, kinds: Sequence[ValueType], values: Sequence[str]) -> str:
    """Return source of the word with these values side by side, the first in the lowest bytes."""
    items = [kind.packed(source, value) for kind, value in zip(kinds, values, strict=True)]
    return f"number({source.packed([item for part in reversed(items) for item in part])})"


def short_json(value: object) -> str:
    try:
        return json.dumps(value)[:_LONGEST]
    except (TypeError, ValueError):
        return short_repr(value)


def nested_json(kind: ValueType, word: str, path: str) -> Any:
    """Return the JSON of a list or a record that is written in a word."""
    try:
        return json.loads(shallow(word))
    except ValueError:
        remedy = f"{kind.expectation()}: write it as JSON"
        raise ParseError(f"{path} = {word!r} {remedy}") from None


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


def _same_slot(slot: int) -> int:
    return slot


def misfit(source: Source, kind: ValueType, is_stored: bool = False) -> str:
    """Return the statement that explains why `v` is not a value of this type."""
    explain = explain_stored if is_stored else explain_mismatch
    return f"raise {source.bind(explain)}({source.bind(kind)}, v, wrong) from None"


# Explaining errors: the same value or data is looked at again, step by step


def accepts(kind: ValueType, value: object) -> bool:
    """Return True if `value` fits `kind`, a type without members."""
    try:
        kind.check(value)
    except MemoryError:
        raise
    except Exception:
        return False
    return True


def explain_mismatch(
    kind: ValueType, value: object, cause: BaseException | None = None, is_stored: bool = False
) -> ValueMismatch:
    """Return an error that names the innermost part of `value` that does not fit `kind`.

    `cause` is reported if every part fits.
    """
    mismatch = _find(kind, value, "", is_stored)
    if mismatch is None:
        return ValueMismatch("", f"{short_repr(value)} cannot be used as {kind.name}: {cause!r}")
    path, inner, part = mismatch
    return ValueMismatch(path, f"{short_repr(part)} {inner.expectation(part)}")


def explain_stored(kind: ValueType, value: object, cause: BaseException) -> ValueMismatch:
    """Return the same error for a value that is stored, for which a type is stricter."""
    return explain_mismatch(kind, value, cause, is_stored=True)


def _find(
    kind: ValueType, value: object, path: str, is_stored: bool
) -> tuple[str, ValueType, object] | None:
    """Return the path, type and value of the first part that does not fit, or None. `path` leads to `value`."""
    parts = kind.split(value)
    if parts is None:
        return None if not kind.parts and accepts(kind, value) else (path, kind, value)
    for step, inner, part in parts:
        found = _find(inner, part, join(path, step), is_stored)
        if found is not None:
            return found
    return (path, kind, value) if is_stored and not kind.stores(value) else None


def explain_data(kind: ValueType, data: bytes, at: int, cause: Exception) -> BadData:
    try:
        kind.walk(data, at, "")
    except BadData as bad:
        return bad
    return BadData(f"the data cannot be read: {cause!r}")


def walk_side_by_side(parts: list[tuple[str, ValueType]], data: bytes, at: int, path: str) -> int:
    """Read values side by side, each with its path and type, and return the end of their data."""
    end = at + sum(kind.head_size for _, kind in parts)
    need(data, at, end - at, path)
    head = at
    for name, kind in parts:
        if kind.is_dynamic:
            position = at + word_at(data, head)
            if position < end:
                raise bad_data(name, "its data overlap the data before them")
            end = kind.walk(data, position, name)
        else:
            kind.walk(data, head, name)
        head += kind.head_size
    return end


def word_at(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 32])


def need(data: bytes, at: int, size: int, path: str) -> None:
    """Refuse if fewer than `size` bytes follow `at`."""
    if len(data) < at + size:
        many = str(size) if size < 2**64 else f"2^{size.bit_length() - 1} or more"
        raise bad_data(path, f"{max(len(data) - at, 0)} bytes are too few, {many} are needed")
