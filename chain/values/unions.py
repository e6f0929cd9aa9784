"""Tagged unions: a value of one of several records, `Move | Pass`, and a number that says of which.

In the ABI it is the tuple `(uint8 kind, Move move)`: the number of the record, then each record that has members, of which all
but the one that is meant are zero. So every tool shows and takes it with the names of the members. In storage the records share
one place after the number.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, Final

from chain.crypto.address import Address
from chain.foundation.dataclass import dataclass
from chain.values.kind import (
    FindAddress,
    FindContent,
    Part,
    ReadableWords,
    Reading,
    Slots,
    ValueType,
    need,
    nested_json,
    word_at,
)
from chain.values.mismatch import bad_data
from chain.values.numbers import Int
from chain.values.records import VARIANTS, Convert, StructType, TupleLike
from chain.values.source import Item, Source, fail, generated

_NUMBER: Final = Int.sized("u8", 8)


@dataclass(frozen=True)
class UnionType(TupleLike):
    """One of several records, told apart by their classes. The zero is the zero of the first."""

    variants: tuple[StructType, ...]

    is_fixed = False

    def __post_init__(self) -> None:
        VARIANTS.update(self.by_class)

    @cached_property
    def by_class(self) -> dict[Any, tuple[int, StructType]]:
        """The number and the type of each record, by its class."""
        return {variant.cls: (i, variant) for i, variant in enumerate(self.variants)}

    @property
    def name(self) -> str:
        return " | ".join([variant.name for variant in self.variants])

    @cached_property
    def size(self) -> int | None:
        sizes = [variant.size for variant in self.variants]
        size = 1 + max([33 if each is None else each for each in sizes])
        return size if size <= 32 else None

    @cached_property
    def parts(self) -> tuple[ValueType, ...]:
        return _NUMBER, *[variant for variant in self.variants if variant.members]

    def map(self, convert: Convert) -> UnionType:
        return UnionType(tuple(convert(variant) for variant in self.variants))  # type: ignore[misc]

    def split(self, value: object) -> list[Part] | None:
        found = self.by_class.get(value.__class__)
        return None if found is None else [("", found[1], value)]

    @property
    def zero(self) -> object:
        return self.variants[0].zero

    has_author_class = True

    @property
    def spelled(self) -> str:
        return " | ".join([variant.spelled for variant in self.variants])

    @property
    def description(self) -> Any:
        return "union", tuple(variant.description for variant in self.variants)

    @property
    def example(self) -> str:
        return " or ".join([f'{{"{each.name}": {each.example}}}' for each in self.variants])

    def from_json(self, value: Any, path: str, find: FindAddress = Address) -> Any:
        """Return the record of an object with its name, `{"Move": {"x": 1}}`. One without members is its name alone, too."""
        by_name = {variant.name: variant for variant in self.variants}
        if isinstance(value, str) and value in by_name:
            value = {value: {}}
        if not isinstance(value, dict) or len(value) != 1 or not {*value} <= {*by_name}:
            raise self.misread(value, path)
        [(name, members)] = value.items()
        return by_name[name].from_json(members, f"{path}.{name}", find)

    def json_of_word(self, word: str, path: str) -> Any:
        return word if word.isidentifier() else nested_json(self, word, path)

    def expectation(self, value: object = 0) -> str:
        return f"is not {self.name}"

    # In the ABI

    @property
    def solidity(self) -> str:
        return f"struct {'Or'.join([variant.name for variant in self.variants])}"

    @property
    def part_names(self) -> list[str]:
        names = [variant.name for variant in self.variants if variant.members]
        return ["kind", *[name[0].lower() + name[1:] for name in names]]

    @cached_property
    def _heads(self) -> list[int]:
        """The distance of the head of each record from the start; of one without members that of the end."""
        heads, at = [], 32
        for variant in self.variants:
            heads.append(at)
            at += variant.head_size if variant.members else 0
        return heads

    def flat(self, source: Source, value: str) -> list[Item]:
        return [(f"{self.head_size}s", self.encoded(source, value))]

    def encoded(self, source: Source, value: str) -> str:
        return f"{source.bind(self._encode)}({value})"

    def _encode(self, value: object) -> bytes:
        number, taken = self.by_class[value.__class__]
        heads, tails = number.to_bytes(32), b""
        for variant in self.variants:
            if not variant.members:
                continue
            body = variant.encode(value) if variant is taken else variant.blank
            if variant.is_dynamic:
                heads += (self.body_size + len(tails)).to_bytes(32)
                tails += body
            else:
                heads += body
        return heads + tails

    def decoded(self, reading: Reading, guard: str) -> str:
        number = reading.small(guard)
        reading.check(f"{number} >= {len(self.variants)}", guard)
        value = ""
        for i, variant in enumerate(self.variants):
            inner = variant.decoded(
                reading, f"{guard} and {number} == {i}" if guard else f"{number} == {i}"
            )
            value += inner if i == len(self.variants) - 1 else f"{inner} if {number} == {i} else "
        return f"({value})"

    @generated
    def read(self) -> Callable[[bytes, int], Any]:
        if not self.is_dynamic:
            return super().read
        heads, size = self._heads, self.body_size
        reads: list[Callable[[bytes, int], Any]] = [
            each.read if each.members else partial(_without_members, each) for each in self.variants
        ]
        dynamic = [variant.is_dynamic for variant in self.variants]

        def read_union(data: bytes, at: int) -> tuple[object, int]:
            number = int.from_bytes(data[at : at + 32])
            if len(data) < at + size:
                fail()
            if not dynamic[number]:
                value: object = reads[number](data, at + heads[number])
                return value, at + size
            offset = int.from_bytes(data[at + heads[number] : at + heads[number] + 32])
            if offset < size:
                fail()
            found: tuple[object, int] = reads[number](data, at + offset)
            return found

        return read_union

    def walk(self, data: bytes, at: int, path: str) -> int:
        need(data, at, self.body_size, path)
        number, end = word_at(data, at), at + self.body_size
        if number >= len(self.variants):
            raise bad_data(
                path, f"{number} is none of the {len(self.variants)} kinds of {self.name}"
            )
        variant, head = self.variants[number], at + self._heads[number]
        if not variant.is_dynamic:
            variant.walk(data, head, path)
            return end
        position = at + word_at(data, head)
        if position < end:
            raise bad_data(path, "its data overlap the data before them")
        return variant.walk(data, position, path)

    # In storage

    @property
    def words(self) -> int:
        return 1 if self.size else 1 + max([variant.words for variant in self.variants])

    def packed(self, source: Source, value: str) -> list[Item]:
        by_class, size = self.by_class, self.size or 0

        def pack(value: object) -> bytes:
            number, variant = by_class[value.__class__]
            return (variant.pack(value) << 8 | number).to_bytes(size)

        return [(f"{size}s", f"{source.bind(pack)}({value})")]

    def unpacked(self, source: Source, number: str) -> str:
        unpacks = [variant.unpack for variant in self.variants]
        return f"{source.bind(lambda n: unpacks[n & 255](n >> 8))}({number})"

    def put(self, source: Source, value: str, slot: str) -> None:
        if self.size:
            super().put(source, value, slot)
        else:
            source.lines.append(f"{source.bind(self._put)}({value}, {slot}, content, out)")

    def _put(self, value: object, slot: int, content: FindContent, out: Slots) -> None:
        out[slot], variant = self.by_class[value.__class__]
        variant.words_of(value, slot + 1, content, out)

    def loaded(self, source: Source, slot: str) -> str:
        if self.size:
            return super().loaded(source, slot)
        loads = [variant.load for variant in self.variants]
        load = source.bind(lambda frame, slot: loads[frame.sload(slot)](frame, slot + 1))
        return f"{load}(frame, {slot})"

    def used(self, frame: ReadableWords, slot: int) -> list[int]:
        if self.size:
            return [slot]
        return [slot, *self.variants[frame.sload(slot)].used(frame, slot + 1)]

    def exact(self, source: Source, value: str, before: str = "") -> str:
        return f"{source.bind(self._is_exact)}({value})"

    def _is_exact(self, value: object) -> bool:
        found = self.by_class.get(value.__class__)
        return found is not None and found[1].is_exact(value)


def _without_members(kind: StructType, data: bytes, at: int) -> object:
    return kind.build(())
