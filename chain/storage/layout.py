"""The layout of values in storage: ordinary 32-byte words, in the manner of Solidity.

Members are laid out side by side from the low end of a word, and none crosses into the next. Texts, bytes and lists keep their
length in their own word and their content at its keccak. In one respect this is denser than Solidity: a record or option of up
to 32 bytes is packed like a number, so a list of small records shares words.

A `Layout` reads and writes values of one type through a frame (`sload`, `sstore`), which charges gas and journals the changes.
Functions on hot paths are generated once per type, as straight-line Python source.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from chain.schema.validation import ValueMismatch, explain_mismatch
from chain.schema.value_types import (
    BytesType,
    ListType,
    OptionalType,
    StringType,
    StructType,
    ValueType,
)
from chain.storage.dynamic import (
    Layout,
    OptionLayout,
    SequenceLayout,
    TextLayout,
    Writes,
    apply_plan,
    getter_source,
    setter_source,
)
from chain.storage.packing import (
    Offset,
    PackedLayout,
    PackingSource,
    ReadableWords,
    Words,
    generated,
    lay_out,
    packed_layout,
    store_word,
)

__all__ = [
    "FieldsLayout",
    "Layout",
    "Offset",
    "OptionLayout",
    "PackedLayout",
    "RecordLayout",
    "SequenceLayout",
    "TextLayout",
    "Words",
    "lay_out",
    "layout_for",
]  # fmt: skip


@cache
def layout_for(kind: ValueType) -> Layout:
    """Return the layout of values of this type."""
    if kind.packed_size is not None:
        return packed_layout(kind)
    match kind:
        case StringType() | BytesType():
            return TextLayout(kind)
        case ListType(item=item):
            return SequenceLayout(kind, layout_for(item))
        case OptionalType(item=item):
            return OptionLayout(kind, layout_for(item))
        case StructType():
            return RecordLayout(kind)
        case _:
            raise AssertionError(kind)


class FieldsLayout:
    """Named layouts side by side, each accessed on its own: the fields of a contract."""

    size: int | None = None

    def __init__(self, names: list[str], layouts: list[Layout]) -> None:
        self.names, self.layouts = names, layouts
        self.places, self.words = lay_out(layouts)

    def accessors(
        self, index: int
    ) -> tuple[Callable[[ReadableWords, int], Any], Callable[[Words, int, object], None]]:
        """Return functions that load and store member `index` of the fields that start at a given slot."""
        layout, (word, shift, alone) = self.layouts[index], self.places[index]
        if not isinstance(layout, PackedLayout):
            return (
                lambda frame, slot: layout.load(frame, slot + word),
                lambda frame, slot, value: layout.store(frame, slot + word, value),
            )
        pack, unpack, mask = layout.pack, layout.unpack, (1 << 8 * (layout.size or 0)) - 1 << shift

        def store_shared(frame: Words, slot: int, value: object) -> None:
            number = pack(value) << shift
            frame.sstore(slot + word, frame.sload(slot + word) & ~mask | number)

        def store_alone(frame: Words, slot: int, value: object) -> None:
            frame.sstore(slot + word, pack(value))

        return (
            lambda frame, slot: unpack(frame.sload(slot + word) >> shift),
            store_alone if alone else store_shared,
        )

    def properties(self, owner: str) -> dict[str, property]:
        """Return the properties of a contract class, which read and write the fields through the frame of the contract.

        `owner` is the name of the class, for errors.
        """
        bound: dict[str, object] = {}
        lines: list[str] = []
        for name, layout, place in zip(self.names, self.layouts, self.places, strict=True):
            source = PackingSource(f"fields of {owner}", names=bound)
            path = source.bind(f"{owner}.{name}")
            lines += layout.property_source(name, path, place, source)
        source = PackingSource(f"fields of {owner}", names=bound)
        made = source.run(lines, {"Mismatch": ValueMismatch, "misfit": explain_mismatch})
        return {name: property(made[f"get_{name}"], made[f"set_{name}"]) for name in self.names}

    def clear(self, frame: Words, slot: int) -> None:
        for offset, layout in zip(self.places, self.layouts, strict=True):
            if offset.shift == 0:  # the first in a word clears it for all
                layout.clear(frame, slot + offset.word)


class RecordLayout(FieldsLayout):
    """The members of a record, which are also read and written as a whole, by functions generated for this type."""

    load: Callable[[ReadableWords, int], Any] = generated()
    pack: Callable[[object], tuple[object, ...]] = generated()
    write: Callable[[Words, int, tuple[object, ...]], None] = generated()
    store: Callable[[Words, int, object], None] = generated()
    plan: Callable[[Words, int, object, object, Writes], None] = generated()

    def __init__(self, kind: StructType) -> None:
        super().__init__([m.name for m in kind.members], [layout_for(m.kind) for m in kind.members])
        self.kind = kind

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

    def generate(self) -> dict[str, Any]:
        source, loads = PackingSource(f"store {self.kind.name}"), list[str]()
        construction = self._loading(source, 0, loads)
        values = source.destructure(self.kind, "v")
        packs = self._packing(source, values)
        results, writes = ", ".join(packs), self._writing(source)
        steps = [f"{name} = {number}" for name, number in packs.items()]
        plans = self._planning(source, values, packs)
        made = source.compile(
            [
                *("def load(frame, slot):", *loads, f" return {construction}"),
                *("def pack(v):", *source.with_checks(self.kind, [*steps, f"return {results},"])),
                *("def write(frame, slot, packed):", f" {results}, = packed", *writes),
                *("def store(frame, slot, v):", *source.with_checks(self.kind, steps), *writes),
                *("def plan(frame, slot, o, v, writes):", *source.with_checks(self.kind, plans)),
            ]
        )
        return {name: made[name] for name in ("load", "pack", "write", "store", "plan")}

    def _loading(self, source: PackingSource, start: int, lines: list[str]) -> str:
        """Return an expression for the record that starts `start` words after the slot.

        The `lines` before it read the words and the inner records that it needs.
        """
        parts, read = [], set[int]()
        for member, layout, offset in zip(
            self.kind.members, self.layouts, self.places, strict=True
        ):
            word = start + offset.word
            if isinstance(layout, PackedLayout):
                if word not in read:
                    read.add(word)
                    lines.append(f" w{word} = frame.sload(slot + {word})")
                parts.append(source.unpack(member.kind, f"w{word}", offset.shift))
            elif isinstance(layout, RecordLayout):
                parts.append(layout._loading(source, word, lines))
            else:
                lines.append(f" w{word} = {source.bind(layout)}.load(frame, slot + {word})")
                parts.append(f"w{word}")
        return self.kind.construction_source(source.bind(self.kind.maker), parts)

    def _packing(self, source: PackingSource, values: list[str]) -> dict[str, str]:
        """Return a name and an expression for each shared word, and for each member with words of its own."""
        packs = {
            f"w{word}": source.combine(
                [self.kind.members[i].kind for i in indexes], [values[i] for i in indexes]
            )
            for word, indexes in self._shared.items()
        }
        whole = {f"p{i}": f"{source.bind(self.layouts[i])}.pack({values[i]})" for i in self._whole}
        return packs | whole

    @property
    def _shared(self) -> dict[int, list[int]]:
        """The indexes of the packed members, by the word they are in."""
        members: dict[int, list[int]] = {}
        for i, (layout, offset) in enumerate(zip(self.layouts, self.places, strict=True)):
            if layout.size is not None:
                members.setdefault(offset.word, []).append(i)
        return members

    @property
    def _whole(self) -> list[int]:
        """The indexes of the members with words of their own."""
        return [i for i, layout in enumerate(self.layouts) if layout.size is None]

    def _writing(self, source: PackingSource) -> list[str]:
        lines = [f" frame.sstore(slot + {word}, w{word})" for word in self._shared]
        for i in self._whole:
            lines.append(
                f" {source.bind(self.layouts[i])}.write(frame, slot + {self.places[i].word}, p{i})"
            )
        return lines

    def _planning(
        self,
        source: PackingSource,
        values: list[str],
        packs: dict[str, str],
        before: str = "o",
        start: int = 0,
    ) -> list[str]:
        """Return lines that plan to write the members that differ from those of `before`, from word `start` on."""
        lines, write = [], source.bind(store_word)
        for word, indexes in self._shared.items():
            changed = " or ".join(
                _differs(values[i], self.kind.accessor_source(before, i)) for i in indexes
            )
            number = packs[f"w{word}"]
            lines.append(f"if {changed}: writes.append(({write}, slot + {start + word}, {number}))")
        for i in self._whole:
            new, old = values[i], self.kind.accessor_source(before, i)
            layout, word = self.layouts[i], start + self.places[i].word
            lines.append(f"if {new} is not {old}:")
            if isinstance(layout, RecordLayout):
                lines += [f" {line}" for line in layout._inner_planning(source, new, old, word)]
            else:
                plan = source.bind(layout.plan)
                lines.append(f" {plan}(frame, slot + {word}, {old}, {new}, writes)")
        return lines

    def _inner_planning(
        self, outer: PackingSource, value: str, before: str, start: int
    ) -> list[str]:
        """Return lines that do the same for a record in a record, with checks and local variables of their own."""
        source = PackingSource(outer.title, names=outer.names)
        values = source.destructure(self.kind, value)
        packs = self._packing(source, values)
        return [*source.checked_lines, *self._planning(source, values, packs, before, start)]


def _differs(new: str, old: str) -> str:
    """Return source that is true if two values differ. It is fast if both are one object.

    Identity must not show in the result, least of all in gas: two equal values are one object only by chance.
    """
    return f"({new} is not {old} and {new} != {old})"
