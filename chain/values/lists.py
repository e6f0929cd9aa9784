"""Lists of any length: `list[T]`, or `tuple[T, ...]` where the value must stay frozen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, MutableSet, Sequence
from functools import cached_property
from typing import Any

from chain.crypto.address import Address
from chain.foundation.dataclass import dataclass
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
    walk_side_by_side,
    word_at,
)
from chain.values.records import LONG_MEMO, Convert
from chain.values.source import Source, fail, generated
from chain.values.texts import Dynamic


@dataclass(frozen=True)
class ListType(Dynamic):
    """A list of any length: its length, and at the keccak of the slot its items, several to a word if they are packed."""

    item: ValueType
    make: type[list[object]] | type[tuple[object, ...]] = list

    @property
    def word(self) -> str:
        return "tuple" if self.make is tuple else "list"

    @property
    def name(self) -> str:
        return f"{self.word} of {self.item.name}"

    @property
    def parts(self) -> tuple[ValueType, ...]:
        return (self.item,)

    def map(self, convert: Convert) -> ListType:
        return ListType(convert(self.item), self.make)

    def split(self, value: object) -> list[Part] | None:
        if not isinstance(value, list | tuple):
            return None
        return [(f"[{i}]", self.item, item) for i, item in enumerate(value)]

    def stores(self, value: object) -> bool:
        return value.__class__ is tuple if self.make is tuple else isinstance(value, list)

    @property
    def zero(self) -> object:
        return self.make()

    def from_json(self, value: Any, path: str, find: FindAddress = Address) -> Any:
        if not isinstance(value, list | tuple):
            raise self.misread(value, path)
        read = self.item.from_json
        return self.make([read(item, f"{path}[{i}]", find) for i, item in enumerate(value)])

    def json_of_word(self, word: str, path: str) -> Any:
        return nested_json(self, word, path)

    example = "[…, …]"

    @cached_property
    def is_changeable(self) -> bool:
        return self.make is list or self.item.is_changeable

    @property
    def spelled(self) -> str:
        return f"{self.word} of {self.item.spelled}"

    @property
    def description(self) -> Any:
        return self.word, self.item.description

    # In the ABI

    @property
    def solidity(self) -> str:
        return f"{self.item.solidity}[]"

    @property
    def abi_type(self) -> str:
        return f"{self.item.abi_type}[]"

    def encoded(self, source: Source, value: str) -> str:
        return f"{source.bind(self._encode)}({value})"

    @generated
    def _encode(self) -> Callable[[Any], bytes]:
        item, source = self.item, self.source("encode")
        source.lines.append(f"if not isinstance(v, (list, tuple)): v = {source.bind(_listed)}(v)")
        start = len(source.lines)
        one = item.encoded(source, "i")
        steps, items = source.lines[start:], source.variable()
        if steps:
            body = [f" {step}" for step in [*steps, f"{items}.append({one})"]]
            source.lines[start:] = [f"{items} = []", "for i in v:", *body]
        else:
            source.lines.append(f"{items} = [{one} for i in v]")
        joined = f"{source.bind(_behind_offsets)}({items})" if item.is_dynamic else f"join({items})"
        return source.function("v", f"len({items}).to_bytes(32) + {joined}")

    @generated
    def read(self) -> Callable[[bytes, int], tuple[Any, int]]:
        return self._read_dynamic() if self.item.is_dynamic else self._read_static()

    def _read_static(self) -> Callable[[bytes, int], tuple[Any, int]]:
        """Return a reader without a function call for each item."""
        source = Reading(f"decode {self.name}")
        value = self.item.decoded(source, "")
        each = source.bind(source.form.iter_unpack)
        checked = f"fail() if {source.refusals} else {value}" if source.checks else value
        read = source.function("data", f"[{checked} for {source.results} in {each}(data)]")
        size, make = self.item.head_size, self.make

        def read_items(data: bytes, at: int) -> tuple[object, int]:
            start = at + 32
            end = start + size * int.from_bytes(data[at:start])
            if end > len(data):
                fail()
            values = read(data[start:end])
            return values if make is list else make(values), end

        return read_items

    def _read_dynamic(self) -> Callable[[bytes, int], tuple[Any, int]]:
        read, make = self.item.read, self.make

        def read_items(data: bytes, at: int) -> tuple[object, int]:
            start = at + 32
            end = heads = start + 32 * int.from_bytes(data[at:start])
            if end > len(data):
                fail()
            values = []
            for head in range(start, heads, 32):
                position = start + int.from_bytes(data[head : head + 32])
                if position < end:
                    fail()
                value, end = read(data, position)
                values.append(value)
            return make(values), end

        return read_items

    def walk(self, data: bytes, at: int, path: str) -> int:
        need(data, at, 32, path)
        count = word_at(data, at)
        need(data, at + 32, count * self.item.head_size, path)
        items = [(f"{path}[{i}]", self.item) for i in range(count)]
        return walk_side_by_side(items, data, at + 32, path)

    # In storage

    @cached_property
    def per_word(self) -> int:
        """The number of items in a word; 1 for items with words of their own."""
        return 32 // self.item.size if self.item.size else 1

    def put(self, source: Source, value: str, slot: str) -> None:
        if self.make is tuple:
            source.lines.append(f"if {value}.__class__ is not tuple: fail()")
        else:
            listed = source.bind(_listed)
            source.lines.append(f"if not isinstance({value}, list): {value} = {listed}({value})")
        put = self._put_packed if self.item.size else self._put_whole
        source.lines.append(f"{source.bind(put)}({value}, {slot}, content, out)")

    @generated
    def _octets(self) -> Callable[[Any], list[bytes]]:
        """The function that returns packed items as the bytes of each, the highest first."""
        item, source = self.item, self.source("pack")
        one = source.packed(item.packed(source, "v"))
        if not source.lines:
            return source.function("values", f"[{one} for v in values]")
        body = [f" {step}" for step in [*source.lines, f"items.append({one})"]]
        source.lines = ["items = []", "for v in values:", *body]
        return source.function("values", "items")

    def _put_packed(self, values: Any, slot: int, content: Any, out: dict[int, int]) -> None:
        octets, step = self._octets(values), self.per_word
        if octets:
            base = content(slot)
            for i in range(0, len(octets), step):
                out[base + i // step] = int.from_bytes(b"".join(octets[i : i + step][::-1]))
        out[slot] = len(octets)

    def _put_whole(self, values: Any, slot: int, content: Any, out: dict[int, int]) -> None:
        if values:
            base, step, words_of = content(slot), self.item.words, self.item.words_of
            for i, value in enumerate(values):
                words_of(value, base + i * step, content, out)
        out[slot] = len(values)

    def differ(
        self, before: Any, after: Any, slot: int, content: FindContent, old: Slots, new: Slots
    ) -> None:
        item, step = self.item, self.per_word
        if not self.stores(after):
            fail()
        if not item.size and len(before) != len(after):
            super().differ(before, after, slot, content, old, new)
            return
        old[slot], new[slot], base = len(before), len(after), content(slot)
        if not item.size:
            for i, (one, other) in enumerate(zip(before, after, strict=True)):
                if one is not other:
                    item.differ(one, other, base + i * item.words, content, old, new)
            return
        for values, others, out in ((before, after, old), (after, before, new)):
            for i in range(0, len(values), step):
                items = values[i : i + step]
                if items != others[i : i + step]:
                    octets = self._octets(items)[::-1]
                    out[base + i // step] = int.from_bytes(b"".join(octets))

    def exact(self, source: Source, value: str, before: str = "") -> str:
        same = f"{value} is {before} or " if before else ""
        items = f"all([{self.item.exact(source, 'i')} for i in {value}])"
        return f"({same}{value}.__class__ is {source.bind(self.make)} and {items})"

    def loaded(self, source: Source, slot: str) -> str:
        count = source.var(f"sload({slot})")
        load = self._load_packed() if self.item.size else self._load_whole()
        items = f"{source.bind(load)}(frame, frame.data_slot({slot}), {count})"
        return f"({items} if {count} else {source.bind(self.make)}())"

    def _load_whole(self) -> Callable[[ReadableWords, int, int], Any]:
        load, step, make = self.item.load, self.item.words, self.make

        def load_items(frame: ReadableWords, base: int, count: int) -> Any:
            return make([load(frame, base + i * step) for i in range(count)])

        return load_items

    def _load_packed(self) -> Callable[[ReadableWords, int, int], Any]:
        step, make, rows = self.per_word, self.make, self._rows
        is_changeable = self.item.is_changeable

        def items_of(count: int, words: Sequence[int]) -> list[Any]:
            if is_changeable:
                return [self.unpack_item(words[i // step], i % step) for i in range(count)]
            values: list[Any] = []
            for word in words:
                values += rows[word]
            del values[count:]
            return values

        tuples: MemoTable[tuple[int, ...], Any] = MemoTable(
            lambda key: tuple(items_of(key[0], key[1:])), LONG_MEMO
        )

        def load_items(frame: ReadableWords, base: int, count: int) -> Any:
            words = [*map(frame.sload, range(base, base - (-count // step)))]
            if make is tuple and not is_changeable:
                return tuples[count, *words]
            return make(items_of(count, words))

        return load_items

    def pack_row(self, items: list[Any]) -> int:
        """Return the word that holds these items."""
        return int.from_bytes(b"".join(self._octets(items)[::-1]))

    def unpack_row(self, word: int) -> Sequence[Any]:
        """Return all items of a word, as many as fit into one."""
        return self._rows[word]

    @generated
    def _rows(self) -> MemoTable[int, Sequence[Any]]:
        """The items of a word that holds several, by the word."""
        source, size = self.source("unpack"), self.item.size or 0
        shifts = tuple(8 * size * i for i in range(self.per_word))
        number = f"(w >> s & {(1 << 8 * size) - 1})" if size < 32 else "w"
        value = self.item.unpacked(source, number)
        return MemoTable(source.function("w", f"[{value} for s in {shifts}]"), LONG_MEMO)

    def unpack_item(self, word: int, position: int) -> Any:
        """Return the item at a position of a word."""
        return self.item.unpack(word >> 8 * (self.item.size or 0) * position)

    def used(self, frame: ReadableWords, slot: int) -> list[int]:
        count = frame.sload(slot)
        if not count:
            return []
        item, base = self.item, frame.data_slot(slot)
        if item.size:
            return [slot, *range(base, base - (-count // self.per_word))]
        places = range(base, base + count * item.words, item.words)
        return [slot, *(used for place in places for used in item.used(frame, place))]


@dataclass(frozen=True)
class RemadeType(Dynamic):
    """A dict or set inside a record: stored as the list of its items, in their order. The ABI has no type for it."""

    items: ListType
    make: type[dict[Any, Any]] | type[set[Any]]

    has_abi = False
    is_changeable = True

    @property
    def name(self) -> str:
        item = self.items.item
        return f"{self.make.__name__} of {' to '.join(p.name for p in item.parts) or item.name}"

    @property
    def parts(self) -> tuple[ValueType, ...]:
        return (self.items,)

    def map(self, convert: Convert) -> RemadeType:
        return RemadeType(self.items.map(convert), self.make)

    def listed(self, value: Any) -> list[Any]:
        """Return the items as they are stored."""
        if self.make is dict and isinstance(value, MutableMapping):
            return [*value.items()]
        if self.make is dict or not isinstance(value, MutableSet | frozenset):
            fail()
        return [*value]

    def split(self, value: object) -> list[Part] | None:
        try:
            items = self.listed(value)
        except ValueError:
            return None
        parts: list[Any] = [part for _, _, part in self.items.split(items) or ()]
        if self.make is set:
            return [("", self.items.item, part) for part in parts]
        key, held = self.items.item.parts
        return [
            step
            for part in parts
            for step in ((f"[{part[0]!r}]", key, part[0]), (f"[{part[0]!r}]", held, part[1]))
        ]

    @property
    def zero(self) -> object:
        return self.make()

    def from_json(self, value: Any, path: str, find: FindAddress = Address) -> Any:
        if self.make is dict and isinstance(value, Mapping):
            value = [*value.items()]
        return self.make(self.items.from_json(value, path, find))

    @property
    def spelled(self) -> str:
        return self.name

    @property
    def description(self) -> Any:
        return self.make.__name__, self.items.description

    @property
    def abi_type(self) -> str:
        return self.items.abi_type

    def encoded(self, source: Source, value: str) -> str:
        return self.items.encoded(source, f"{source.bind(self.listed)}({value})")

    def put(self, source: Source, value: str, slot: str) -> None:
        self.items.put(source, source.var(f"{source.bind(self.listed)}({value})"), slot)

    def loaded(self, source: Source, slot: str) -> str:
        return f"{source.bind(self.make)}({self.items.loaded(source, slot)})"

    def used(self, frame: ReadableWords, slot: int) -> list[int]:
        return self.items.used(frame, slot)


def _listed(items: object) -> list[Any]:
    """Return a list in storage as a list of Python."""
    if not isinstance(items, MutableSequence) or isinstance(items, bytearray):
        fail()
    return [*items]


def _behind_offsets(items: list[bytes]) -> bytes:
    """Return encoded items of a dynamic type behind their offsets."""
    offsets, offset = [], 32 * len(items)
    for item in items:
        offsets.append(offset.to_bytes(32))
        offset += len(item)
    return b"".join(offsets + items)
