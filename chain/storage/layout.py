"""The layout of values in storage: ordinary 32-byte words, in the manner of Solidity.

Members are laid out side by side from the low end of a word, and none crosses into the next. Texts, bytes and lists keep their
length in their own word and their content at its keccak. In one respect this is denser than Solidity: a record or option of up
to 32 bytes is packed like a number, so a list of small records shares words.

A `Layout` reads and writes values of one type through a frame (`sload`, `sstore`), which charges gas and journals the changes.
Functions on hot paths are generated once per type, as straight-line Python source.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
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
    LONG_MEMO,
    MemoTable,
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
        source = PackingSource(f"store {self.kind.name}")
        loads = self._loading_memorized(source) if self._is_packed else self._loading_anew(source)
        values = source.destructure(self.kind, "v")
        packs = self._packing(source, values)
        results, writes = ", ".join(packs), self._writing(source)
        steps = [f"{name} = {number}" for name, number in packs.items()]
        plans = self._planning(source, "v", "o", 0)
        explained = f" except Exception as wrong: raise misfit({source.bind(self.kind)}, v, wrong) from None"
        made = source.compile(
            [
                *loads,
                *("def pack(v):", *source.with_checks(self.kind, [*steps, f"return {results},"])),
                *("def write(frame, slot, packed):", f" {results}, = packed", *writes),
                *("def store(frame, slot, v):", *source.with_checks(self.kind, steps), *writes),
                *(
                    "def plan(frame, slot, o, v, writes):",
                    " try:",
                    *(f"  {line}" for line in plans),
                    explained,
                ),
            ]
        )
        return {name: made[name] for name in ("load", "pack", "write", "store", "plan")}

    @property
    def _is_packed(self) -> bool:
        """True if all words of a value are read whenever it is, and equal words make equal values."""
        if self.kind.runs_author_code:
            return False
        return all(
            layout._is_packed
            if isinstance(layout, RecordLayout)
            else isinstance(layout, PackedLayout)
            for layout in self.layouts
        )

    def _loading_memorized(self, source: PackingSource) -> list[str]:
        """Return the functions that load a record from its words, for a record of packed members alone."""
        names = ", ".join([f"w{word}" for word in range(self.words)])
        construction = self._loading(source, 0, [])
        words = ", ".join([f"frame.sload({_slot(word)})" for word in range(self.words)])
        return [
            *("def build(words):", f" {names} = words", f" return {construction}"),
            f"known = {source.bind(partial(MemoTable, limit=LONG_MEMO))}(build)",
            f"def load(frame, slot): return known[{words}]",
        ]

    def _loading_anew(self, source: PackingSource) -> list[str]:
        """Return the function that loads any other record."""
        lines: list[str] = []
        construction = self._loading(source, 0, lines)
        return ["def load(frame, slot):", *lines, f" return {construction}"]

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
                    lines.append(f" w{word} = frame.sload({_slot(word)})")
                parts.append(source.unpack(member.kind, f"w{word}", offset.shift))
            elif isinstance(layout, RecordLayout):
                parts.append(layout._loading(source, word, lines))
            else:
                lines.append(f" w{word} = {source.bind(layout)}.load(frame, {_slot(word)})")
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
        lines = [f" frame.sstore({_slot(word)}, w{word})" for word in self._shared]
        for i in self._whole:
            lines.append(
                f" {source.bind(self.layouts[i])}.write(frame, {_slot(self.places[i].word)}, p{i})"
            )
        return lines

    def _planning(self, source: PackingSource, value: str, before: str, start: int) -> list[str]:
        """Return lines that plan to write the members of `value` that differ from those of `before`, from word `start` on.

        A member that is the same object in both has its place already. Otherwise it is refused if it does not fit, and planned
        if it is not equal: identity must not show in gas.
        """
        lines = self.kind.destructuring_source(value)
        if self.kind.cls is None:
            lines.append(
                f"[{', '.join([f'{before}_{i}' for i in range(len(self.names))])}] = {before}"
            )
        for word, indexes in self._shared.items():
            lines += self._planning_word(source, value, before, start + word, indexes)
        for i in self._whole:
            new, old = f"{value}_{i}", self._old(before, i)
            layout, word = self.layouts[i], start + self.places[i].word
            lines.append(f"if {new} is not {old}:")
            if isinstance(layout, RecordLayout):
                inner = f"{before}_{i}"
                lines += [f" {inner} = {old}"] if inner != old else []
                lines += [f" {line}" for line in layout._planning(source, new, inner, word)]
            else:
                plan = source.bind(layout.plan)
                lines.append(f" {plan}(frame, {_slot(word)}, {old}, {new}, writes)")
        return lines

    def _planning_word(
        self, outer: PackingSource, value: str, before: str, word: int, indexes: list[int]
    ) -> list[str]:
        """Return lines that plan to write a word with the members of these `indexes` if one of them differs."""
        source = PackingSource(outer.title, names=outer.names)
        names = [f"{value}_{i}" for i in indexes]
        number = source.combine([self.kind.members[i].kind for i in indexes], names)
        pairs = [(name, self._old(before, i)) for name, i in zip(names, indexes, strict=True)]
        others = " or ".join([f"{new} is not {old}" for new, old in pairs])
        changed = " or ".join([f"{new} != {old}" for new, old in pairs])
        write = f"writes.append(({source.bind(store_word)}, {_slot(word)}, {number}))"
        steps = [*source.checked_lines, f"if {changed}: {write}"]
        return [f"if {others}:", *(f" {line}" for line in steps)]

    def _old(self, before: str, index: int) -> str:
        """Return source of a member of `before`."""
        return (
            f"{before}_{index}"
            if self.kind.cls is None
            else self.kind.accessor_source(before, index)
        )


def _slot(word: int) -> str:
    """Return source of the slot that is `word` words after the first one."""
    return f"slot + {word}" if word else "slot"
