"""Layouts of values with words of their own: texts, lists, and options too big to be packed.

Storing a value first packs it, which checks all of it and touches no word, and then writes the packed value. So a value that
does not fit leaves nothing half written. Changing stores a value that was derived from the stored one: parts that are equal in
both are neither packed nor written.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from chain.schema.octets import last_octets, octet_letters, octets_packer
from chain.schema.validation import explain_mismatch
from chain.schema.value_types import (
    BytesType,
    Int,
    ListType,
    OptionalType,
    StringType,
)
from chain.storage.packing import (
    LONG_MEMO,
    MemoTable,
    Offset,
    PackedLayout,
    PackingSource,
    ReadableWords,
    Words,
    generated,
    store_word,
)

# Planned writes: the function that writes, the slot, and the packed value.
Writes: TypeAlias = list[tuple[Callable[[Words, int, Any], None], int, Any]]
_LETTERS = {2: "H", 4: "I", 8: "Q"}  # `struct` formats by size in bytes


class Layout(Protocol):
    """Reads and writes values of one type, from the first slot of a value on."""

    @property
    def size(self) -> int | None: ...  # in bytes, if values are packed; otherwise None
    @property
    def words(self) -> int: ...
    def load(self, frame: ReadableWords, slot: int) -> Any: ...
    def pack(self, value: object) -> Any: ...  # check the value, and make it ready to be written
    def write(self, frame: Words, slot: int, packed: Any) -> None: ...
    def store(self, frame: Words, slot: int, value: object) -> None: ...  # pack and write
    def plan(
        self, frame: Words, slot: int, before: object, after: object, writes: Writes
    ) -> None: ...
    def change(
        self, frame: Words, slot: int, before: object, after: object
    ) -> None: ...  # plan and write
    def clear(self, frame: Words, slot: int) -> None: ...
    def property_source(
        self, name: str, path: str, place: Offset, source: PackingSource
    ) -> list[str]: ...  # the functions that read and write it as a field


def apply_plan(layout: Layout, frame: Words, slot: int, before: object, after: object) -> None:
    """Plan the change of a value, and carry out the plan."""
    writes: Writes = []
    layout.plan(frame, slot, before, after, writes)
    for write, first_slot, packed in writes:
        write(frame, first_slot, packed)


def getter_source(layout: Layout, name: str, word: int, source: PackingSource) -> list[str]:
    """Return the function `get_name` for a field that begins with `word`."""
    return [f"def get_{name}(contract): return {source.bind(layout.load)}(contract._frame, {word})"]


def setter_source(
    layout: Layout, name: str, path: str, word: int, source: PackingSource
) -> list[str]:
    """Return the function `set_name` for a field that begins with `word`; `path` names it in errors."""
    return [
        f"def set_{name}(contract, v):",
        f" try: {source.bind(layout.store)}(contract._frame, {word}, v)",
        f" except Mismatch as wrong: raise wrong.prefixed({path}) from None",
    ]


class DynamicLayout:
    """The base of most layouts: storing packs and writes, changing plans and writes."""

    size: int | None = None
    words = 1
    load: Callable[[ReadableWords, int], Any]
    pack: Callable[[object], Any]
    write: Callable[[Words, int, Any], None]
    clear: Callable[[Words, int], None]

    def store(self, frame: Words, slot: int, value: object) -> None:
        self.write(frame, slot, self.pack(value))

    def plan(self, frame: Words, slot: int, before: object, after: object, writes: Writes) -> None:
        if after is not before and after != before:
            writes.append((self.write, slot, self.pack(after)))

    def change(self, frame: Words, slot: int, before: object, after: object) -> None:
        apply_plan(self, frame, slot, before, after)

    def property_source(
        self, name: str, path: str, place: Offset, source: PackingSource
    ) -> list[str]:
        word = place.word
        return [
            *getter_source(self, name, word, source),
            *setter_source(self, name, path, word, source),
        ]


class OptionLayout(DynamicLayout):
    """The layout of an option too big to be packed: a flag in a word of its own, then the words of the value."""

    def __init__(self, kind: OptionalType, item: Layout) -> None:
        self.kind, self.item = kind, item
        self.words = 1 + item.words

    def load(self, frame: ReadableWords, slot: int) -> Any:
        return self.item.load(frame, slot + 1) if frame.sload(slot) else None

    def pack(self, value: object) -> Any:
        return None if value is None else (self.item.pack(value),)

    def write(self, frame: Words, slot: int, packed: Any) -> None:
        if packed is None:
            self.clear(frame, slot)
        else:
            frame.sstore(slot, 1)
            self.item.write(frame, slot + 1, packed[0])

    def plan(self, frame: Words, slot: int, before: object, after: object, writes: Writes) -> None:
        if before is not None and after is not None:
            self.item.plan(frame, slot + 1, before, after, writes)
        elif before is not after:
            writes.append((self.write, slot, self.pack(after)))

    def clear(self, frame: Words, slot: int) -> None:
        if frame.sload(slot):
            frame.sstore(slot, 0)
            self.item.clear(frame, slot + 1)


class SequenceLayout(DynamicLayout):
    """The layout of a list: its length, and at the keccak of the slot its items, several to a word if they are packed."""

    # Of packed items: all their numbers, these side by side, and the items by the word that holds them.
    _numbers: Callable[[object], list[int]] = generated()
    _raw: Callable[[object], bytes | bytearray] = generated()
    _last_raw: Callable[[object], bytes | None] = generated()  # of what was packed last
    _words: MemoTable[int, list[Any]] = generated()

    def __init__(self, kind: ListType, item: Layout) -> None:
        self.kind = kind
        self.item = item
        self.per_word = 32 // self.item.size if self.item.size else 1
        # Whole numbers from 0 up to this one are packed as they are.
        self.greatest = (
            kind.item.highest if isinstance(kind.item, Int) and not kind.item.signed else -1
        )
        self._is_made_anew = kind.runs_author_code
        self._tuples: MemoTable[tuple[int, ...], tuple[object, ...]] = MemoTable(
            lambda key: tuple(self._unpack(*key)), LONG_MEMO
        )

    def generate(self) -> dict[str, Any]:
        item = self.item
        assert isinstance(item, PackedLayout)
        source = PackingSource(f"pack {self.kind.name}")
        number = source.pack(item.kind, "v")
        steps = source.checked_lines
        pack = [f"def pack(values): return [{number} for v in values]"]
        if steps:
            pack = ["def pack(values):", " numbers = []", " for v in values:"]
            pack += [*(f"  {line}" for line in steps), f"  numbers.append({number})"]
            pack += [" return numbers"]
        assert item.size
        shifts = tuple(8 * item.size * i for i in range(self.per_word))
        value = source.unpack(item.kind, "(w >> s)")
        made = source.compile([*pack, f"def unpack(w): return [{value} for s in {shifts}]"])
        words, numbers = MemoTable(made["unpack"], LONG_MEMO), made["pack"]
        raw, last = self._packer(numbers), last_octets(item.kind)
        return {"_numbers": numbers, "_raw": raw, "_last_raw": last, "_words": words}

    def _packer(self, numbers: Callable[[Any], list[int]]) -> Callable[[Any], bytes | bytearray]:
        """Return the function that packs items side by side, the first in the lowest bytes."""
        if octet_letters(self.kind.item):
            return octets_packer(self.kind.item)
        return lambda values: self._join(numbers(values))

    def load(self, frame: ReadableWords, slot: int) -> Any:
        count, make, per_word = frame.sload(slot), self.kind.make, self.per_word
        if count == 0:
            return make()
        base = frame.data_slot(slot)
        if per_word == 1:
            load, step = self.item.load, self.item.words
            values = [load(frame, base + i * step) for i in range(count)]
        else:
            words = [frame.sload(base + i) for i in range(-(-count // per_word))]
            if self._is_made_anew:
                values = [
                    self.unpack_item(words[i // per_word], i % per_word) for i in range(count)
                ]
            elif make is tuple:
                return self._tuples[count, *words]
            elif len(words) == 1:
                values = self._words[words[0]][:count]
            else:
                values = self._unpack(count, *words)
        return values if make is list else make(values)

    def unpack_row(self, word: int) -> Sequence[Any]:
        """Return the items of a word that holds several."""
        return _Row(self, word) if self._is_made_anew else self._words[word]

    def unpack_item(self, word: int, position: int) -> Any:
        """Return the item at a position of a word that holds several."""
        if self._is_made_anew:
            # Not its neighbours: there may be none, and the author's code may refuse what is not there.
            item: Any = self.item
            return item.unpack(word >> 8 * item.size * position)
        return self._words[word][position]

    def _unpack(self, count: int, *words: int) -> list[Any]:
        values: list[Any] = []
        for word in words:
            values += self._words[word]
        del values[count:]
        return values

    def pack(self, value: object) -> tuple[int, list[Any]]:
        """Return the number of items, and the words that hold them, or each item packed."""
        if not isinstance(value, list | tuple):
            raise explain_mismatch(self.kind, value)
        try:
            if isinstance(self.item, PackedLayout):
                return len(value), self._pack_words(value)
            return len(value), [self.item.pack(item) for item in value]
        except Exception as error:
            raise explain_mismatch(self.kind, value, error) from None

    def _pack_words(self, values: Sequence[object]) -> list[int]:
        if self.per_word == 1:
            return self._numbers(values)
        raw, width = self._raw(values), (self.item.size or 0) * self.per_word
        return [int.from_bytes(raw[i : i + width], "little") for i in range(0, len(raw), width)]

    def _join(self, numbers: list[int]) -> bytes:
        """Return packed items side by side, the first in the lowest bytes."""
        size = self.item.size or 0
        if size == 1:
            return bytes(numbers)
        if size in _LETTERS:
            return struct.pack(f"<{len(numbers)}{_LETTERS[size]}", *numbers)
        return b"".join([number.to_bytes(size, "little") for number in numbers])

    def write(self, frame: Words, slot: int, packed: tuple[int, list[Any]]) -> None:
        (count, items), base = packed, frame.data_slot(slot)
        step, write = self.item.words, self.item.write
        for i, item in enumerate(items):
            write(frame, base + i * step, item)
        self._resize(frame, slot, count)

    def _resize(self, frame: Words, slot: int, count: int) -> None:
        """Set the length and clear the words of removed items; a word with remaining items was written just before."""
        before, base, step = frame.sload(slot), frame.data_slot(slot), self.item.words
        frame.sstore(slot, count)
        for i in range(-(-count // self.per_word), -(-before // self.per_word)):
            self.item.clear(frame, base + i * step)

    def plan(self, frame: Words, slot: int, before: Any, after: object, writes: Writes) -> None:
        """Plan to write the words whose items differ."""
        if self.item.size is None:
            self._plan_items(frame, slot, before, after, writes)
            return
        if not isinstance(after, list | tuple):
            raise explain_mismatch(self.kind, after)
        base, raw_before = frame.data_slot(slot), self._last_raw(before)
        try:
            if raw_before is None:
                self._plan_differing(base, before, after, writes)
            else:  # to compare bytes is faster than to compare records
                self._plan_differing_bytes(base, raw_before, self._raw(after), writes)
        except Exception as error:
            raise explain_mismatch(self.kind, after, error) from None
        if len(after) != len(before):
            writes.append((self._resize, slot, len(after)))

    def _plan_differing(self, base: int, before: Any, after: Any, writes: Writes) -> None:
        """Pack only the items of words that differ."""
        step = self.per_word
        for start in range(0, len(after), step):
            items = after[start : start + step]
            if items != before[start : start + step]:
                word = int.from_bytes(self._raw(items), "little")
                writes.append((store_word, base + start // step, word))

    def _plan_differing_bytes(
        self, base: int, before: bytes, after: bytes | bytearray, writes: Writes
    ) -> None:
        width = self.per_word * (self.item.size or 0)
        for start in range(0, len(after), width):
            raw = after[start : start + width]
            if raw != before[start : start + width]:
                writes.append((store_word, base + start // width, int.from_bytes(raw, "little")))

    def _plan_items(
        self, frame: Words, slot: int, before: Any, after: object, writes: Writes
    ) -> None:
        """Plan to change the items, which have words of their own."""
        if not isinstance(after, tuple | list) or len(before) != len(after):
            writes.append((self.write, slot, self.pack(after)))
            return
        base, step = frame.data_slot(slot), self.item.words
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            if new is not old:
                self.item.plan(frame, base + i * step, old, new, writes)

    def clear(self, frame: Words, slot: int) -> None:
        if frame.sload(slot):
            self._resize(frame, slot, 0)


class _Row(Sequence[Any]):
    """The items of a word, each made when it is asked for."""

    def __init__(self, layout: SequenceLayout, word: int) -> None:
        self._layout, self._word = layout, word

    def __getitem__(self, position: Any) -> Any:
        return self._layout.unpack_item(self._word, position)

    def __len__(self) -> int:
        return self._layout.per_word


class TextLayout(DynamicLayout):
    """The layout of text or bytes: up to 31 bytes share a word with twice their length, longer ones are at its keccak."""

    def __init__(self, kind: StringType | BytesType) -> None:
        self.kind = kind
        self.make: Callable[[bytes], Any] = bytes.decode if isinstance(kind, StringType) else bytes
        self._short: MemoTable[int, object] = MemoTable(
            lambda word: self.make(word.to_bytes(32)[: (word & 0xFF) >> 1])
        )

    def load(self, frame: ReadableWords, slot: int) -> Any:
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
        except (TypeError, UnicodeEncodeError) as error:
            raise explain_mismatch(self.kind, value, error) from None
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
            padded = packed.ljust(32 * chunks, b"\0")
            for i in range(chunks):
                frame.sstore(base + i, int.from_bytes(padded[32 * i : 32 * i + 32]))
        if before & 1:
            self._clear_tail(frame, slot, chunks, before)

    def clear(self, frame: Words, slot: int) -> None:
        before = frame.sload(slot)
        frame.sstore(slot, 0)
        if before & 1:
            self._clear_tail(frame, slot, 0, before)

    @staticmethod
    def _clear_tail(frame: Words, slot: int, first: int, before: int) -> None:
        """Clear the words of a long text from word `first` on. `before` was the word at `slot`."""
        base = frame.data_slot(slot)
        for i in range(first, -(-(before >> 1) // 32)):
            frame.sstore(base + i, 0)
