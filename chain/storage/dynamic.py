"""Layouts of values with words of their own: texts and lists, and options too big to be packed.

To store is to pack, which checks all of the value and touches no word, and then to write what was packed: a value that does
not fit leaves nothing half written. To change is to store a value that was made out of the one that lies there: what is equal
in both is neither packed nor written.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from chain.schema.validation import explain_mismatch
from chain.schema.value_types import (
    BytesType,
    ListType,
    StringType,
)
from chain.storage.packing import (
    MemoTable,
    PackedLayout,
    PackingSource,
    Words,
)

# What is to be written: how, where, and the packed value.
Writes: TypeAlias = list[tuple[Callable[[Any, int, Any], None], int, Any]]
_LONG_MEMO = 1 << 12  # entries, where each may be a whole list
_LETTERS = {1: "B", 2: "H", 4: "I", 8: "Q"}  # sizes that `struct` knows


class Layout(Protocol):
    """Reads and writes one kind of value from its first slot on."""

    @property
    def size(self) -> int | None: ...  # bytes, when it packs into a word with others
    @property
    def words(self) -> int: ...
    def load(self, frame: Any, slot: int) -> Any: ...
    def pack(self, value: Any) -> Any: ...  # checked, and ready to be written
    def write(self, frame: Any, slot: int, packed: Any) -> None: ...
    def store(self, frame: Any, slot: int, value: Any) -> None: ...  # pack and write
    def plan(self, frame: Any, slot: int, before: Any, after: Any, writes: Writes) -> None: ...
    def change(self, frame: Any, slot: int, before: Any, after: Any) -> None: ...  # plan and write
    def clear(self, frame: Any, slot: int) -> None: ...


def store_word(frame: Words, slot: int, packed: int) -> None:
    frame.sstore(slot, packed)


def apply_plan(layout: Layout, frame: Words, slot: int, before: Any, after: Any) -> None:
    """Plan the change of a value, and write what is planned."""
    writes: Writes = []
    layout.plan(frame, slot, before, after, writes)
    for write, at, ready in writes:
        write(frame, at, ready)


class DynamicLayout:
    """What most layouts share: to store is to pack and to write, to change is to plan and to write."""

    size: int | None = None
    words = 1
    load: Callable[[Any, int], Any]
    pack: Callable[[Any], Any]
    write: Callable[[Any, int, Any], None]
    clear: Callable[[Any, int], None]

    def store(self, frame: Words, slot: int, value: Any) -> None:
        self.write(frame, slot, self.pack(value))

    def plan(self, frame: Words, slot: int, before: Any, after: Any, writes: Writes) -> None:
        if after is not before and after != before:
            writes.append((self.write, slot, self.pack(after)))

    def change(self, frame: Words, slot: int, before: Any, after: Any) -> None:
        apply_plan(self, frame, slot, before, after)


class OptionLayout(DynamicLayout):
    """A flag in a word of its own, then the words of a value too big to be packed with it."""

    def __init__(self, item: Layout) -> None:
        self.item = item
        self.words = 1 + item.words

    def load(self, frame: Words, slot: int) -> Any:
        return self.item.load(frame, slot + 1) if frame.sload(slot) else None

    def pack(self, value: Any) -> Any:
        return None if value is None else (self.item.pack(value),)

    def write(self, frame: Words, slot: int, packed: Any) -> None:
        if packed is None:
            self.clear(frame, slot)
        else:
            frame.sstore(slot, 1)
            self.item.write(frame, slot + 1, packed[0])

    def plan(self, frame: Words, slot: int, before: Any, after: Any, writes: Writes) -> None:
        if before is not None and after is not None:
            self.item.plan(frame, slot + 1, before, after, writes)
        elif before is not after:
            writes.append((self.write, slot, self.pack(after)))

    def clear(self, frame: Words, slot: int) -> None:
        if frame.sload(slot):
            frame.sstore(slot, 0)
            self.item.clear(frame, slot + 1)


class SequenceLayout(DynamicLayout):
    """A length; at its keccak the items, several to a word where they pack."""

    def __init__(self, kind: ListType, item: Layout) -> None:
        self.kind = kind
        self.item = item
        self.per_word = 32 // self.item.size if self.item.size else 1
        if isinstance(self.item, PackedLayout):
            names = self._compile(self.item)
            self._numbers: Callable[[Any], list[int]] = names["pack"]
            self._words = MemoTable(names["unpack"], _LONG_MEMO)
        self._tuples = MemoTable(lambda key: tuple(self._unpack(*key)), _LONG_MEMO)

    def _compile(self, item: PackedLayout) -> dict[str, Any]:
        source = PackingSource()
        number = source.pack(item.kind, "v")
        if source.checks:
            number = f"fail() if {' or '.join(source.checks)} else {number}"
        pack = [f"def pack(values): return [{number} for v in values]"]
        if source.lines:  # a record is taken apart by statements
            apart = [f"  {line}" for line in source.lines]
            pack = ["def pack(values):", " numbers = []", " for v in values:", *apart]
            pack += [f"  numbers.append({number})", " return numbers"]
        assert item.size
        shifts = tuple(8 * item.size * i for i in range(self.per_word))
        value = source.unpack(item.kind, "(w >> s)")
        source.names["fail"] = _fail
        return source.compile([*pack, f"def unpack(w): return [{value} for s in {shifts}]"])

    def load(self, frame: Words, slot: int) -> Any:
        count, make, per_word = frame.sload(slot), self.kind.make, self.per_word
        if count == 0:
            return make()
        base = frame.data_slot(slot)
        if per_word == 1:
            load, step = self.item.load, self.item.words
            values = [load(frame, base + i * step) for i in range(count)]
        else:
            words = [frame.sload(base + i) for i in range(-(-count // per_word))]
            if make is tuple:
                return self._tuples[count, *words]
            values = (
                self._words[words[0]][:count] if len(words) == 1 else self._unpack(count, *words)
            )
        return values if make is list else make(values)

    def unpack_word(self, word: int) -> list[Any]:
        """The items that lie in a word, where several do."""
        found: list[Any] = self._words[word]
        return found

    def _unpack(self, count: int, *words: int) -> list[Any]:
        values: list[Any] = []
        for word in words:
            values += self._words[word]
        del values[count:]
        return values

    def pack(self, value: Any) -> tuple[int, list[Any]]:
        """The number of items, and the words that hold them, or each item packed."""
        if not isinstance(value, list | tuple):
            raise explain_mismatch(self.kind, value)
        try:
            if isinstance(self.item, PackedLayout):
                return len(value), self._pack_words(value)
            return len(value), [self.item.pack(item) for item in value]
        except Exception as wrong:
            raise explain_mismatch(self.kind, value, wrong) from None

    def _pack_words(self, values: list[Any] | tuple[Any, ...]) -> list[int]:
        numbers, size = self._numbers(values), self.item.size or 0
        if self.per_word == 1:
            return numbers
        if size in _LETTERS:
            raw = struct.pack(f"<{len(numbers)}{_LETTERS[size]}", *numbers)
        else:
            raw = b"".join([number.to_bytes(size, "little") for number in numbers])
        width = size * self.per_word
        return [int.from_bytes(raw[i : i + width], "little") for i in range(0, len(raw), width)]

    def write(self, frame: Words, slot: int, packed: tuple[int, list[Any]]) -> None:
        (count, items), base = packed, frame.data_slot(slot)
        step, write = self.item.words, self.item.write
        for i, item in enumerate(items):
            write(frame, base + i * step, item)
        self._resize(frame, slot, count)

    def _resize(self, frame: Words, slot: int, count: int) -> None:
        """Set the length, and clear what no longer counts; a word shared with an item that stays was just written."""
        before, base, step = frame.sload(slot), frame.data_slot(slot), self.item.words
        frame.sstore(slot, count)
        for i in range(-(-count // self.per_word), -(-before // self.per_word)):
            self.item.clear(frame, base + i * step)

    def plan(self, frame: Words, slot: int, before: Any, after: Any, writes: Writes) -> None:
        if isinstance(self.item, PackedLayout):
            self._plan_words(frame, slot, before, after, writes)
        elif not isinstance(after, tuple | list) or len(before) != len(after):
            writes.append((self.write, slot, self.pack(after)))
        else:
            base, step = frame.data_slot(slot), self.item.words
            for i, (old, new) in enumerate(zip(before, after, strict=True)):
                if new is not old:
                    self.item.plan(frame, base + i * step, old, new, writes)

    def _plan_words(self, frame: Words, slot: int, before: Any, after: Any, writes: Writes) -> None:
        """Words whose items are equal stay as they are, and are not packed."""
        if not isinstance(after, list | tuple):
            raise explain_mismatch(self.kind, after)
        base, step = frame.data_slot(slot), self.per_word
        try:
            for start in range(0, len(after), step):
                items = after[start : start + step]
                if items != before[start : start + step]:
                    writes.append((store_word, base + start // step, self._pack_words(items)[0]))
        except Exception as wrong:
            raise explain_mismatch(self.kind, after, wrong) from None
        if len(after) != len(before):
            writes.append((self._resize, slot, len(after)))

    def clear(self, frame: Words, slot: int) -> None:
        if frame.sload(slot):
            self._resize(frame, slot, 0)


def _fail() -> None:
    raise OverflowError


class TextLayout(DynamicLayout):
    """Text or bytes: up to 31 bytes in the word beside twice their number, longer ones at its keccak."""

    def __init__(self, kind: StringType | BytesType) -> None:
        self.kind = kind
        self.make: Callable[[bytes], Any] = bytes.decode if isinstance(kind, StringType) else bytes
        self._short = MemoTable(lambda word: self.make(word.to_bytes(32)[: (word & 0xFF) >> 1]))

    def load(self, frame: Words, slot: int) -> Any:
        word = frame.sload(slot)
        if not word & 1:
            return self._short[word]
        size, base = word >> 1, frame.data_slot(slot)
        raw = b"".join([frame.sload(base + i).to_bytes(32) for i in range(-(-size // 32))])
        return self.make(raw[:size])

    def pack(self, value: Any) -> bytes:
        try:
            if isinstance(self.kind, StringType):
                return str.encode(value)
        except (TypeError, UnicodeEncodeError) as wrong:
            raise explain_mismatch(self.kind, value, wrong) from None
        if isinstance(value, bytes | bytearray):
            return bytes(value)
        raise explain_mismatch(self.kind, value)

    def write(self, frame: Words, slot: int, packed: bytes) -> None:
        before, size, chunks = frame.sload(slot), len(packed), 0
        if size < 32:
            frame.sstore(slot, int.from_bytes(packed.ljust(32, b"\0")) | size << 1)
        else:
            frame.sstore(slot, size << 1 | 1)
            base, chunks = frame.data_slot(slot), -(-size // 32)
            for i in range(chunks):
                frame.sstore(
                    base + i, int.from_bytes(packed[32 * i : 32 * i + 32].ljust(32, b"\0"))
                )
        self._clear_tail(frame, slot, chunks, before)

    def clear(self, frame: Words, slot: int) -> None:
        before = frame.sload(slot)
        frame.sstore(slot, 0)
        self._clear_tail(frame, slot, 0, before)

    @staticmethod
    def _clear_tail(frame: Words, slot: int, first: int, before: int) -> None:
        """Clear the words of a long text of which the word at `slot` was `before`, from number `first` on."""
        if before & 1:
            base = frame.data_slot(slot)
            for i in range(first, -(-(before >> 1) // 32)):
                frame.sstore(base + i, 0)
