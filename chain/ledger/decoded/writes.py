"""Writes: the storage changes of a transaction, in the terms of the contracts whose storage it is.

A receipt stores the bare words. On demand it names them: fields, members, items and keys, and the models of worlds, each with
its value before and after. Of several values that share a word, only those that differ are listed. The words of bytecode
contracts remain slots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cached_property, partial
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from chain import runtime
from chain.abi.formatting import NamedStyle, show_plain
from chain.crypto.hashing import checksum_address
from chain.errors import Revert
from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import sealed
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.slot_paths import (
    IN,
    IndexedStep,
    PathFinder,
    SlotDerivation,
    SlotPath,
    StoragePath,
    UnknownSlot,
    derivation_of,
    struct_members,
    unwrap_optional,
)
from chain.ledger.decoded.world_namespace import WorldNamespace
from chain.ledger.known_contracts import Contracts
from chain.machine.state import ACCOUNT, STORAGE, Changes, iter_changes
from chain.metering.program import Program
from chain.runtime import is_system, is_world
from chain.spec.models import MODELS, ModelSpec
from chain.storage.fields import FieldsLayout
from chain.storage.read_only import ReadOnlyStorage
from chain.storage.slots import Slots
from chain.types import Address
from chain.values import OptionalType, ValueType, join

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StorageLocation:
    """A location in storage, in the terms of its contract."""

    address: Address  # the address of the contract
    contract: str  # the contract's name; its address, if it is not a Python contract
    name: str  # the name of the field or model, or of the slot if it has none
    keys: tuple[object, ...]  # the keys of the model, or of the item in the field
    member: str  # the path from there on: "board[3].position.x"
    is_model: bool = field(default=False, kw_only=True)  # True if it is in a model of a world
    # `member`, step by step
    steps: SlotPath = field(default=(), kw_only=True, compare=False, repr=False)
    # the names of the chain
    names: AddressBook | None = field(default=None, kw_only=True, compare=False, repr=False)

    @property
    def model(self) -> str | None:
        """The name of the model; None if it is in a field."""
        return self.name if self.is_model else None

    @property
    def field(self) -> str | None:
        """The name of the field; None if it is in a model."""
        return None if self.is_model else self.name

    @property
    def key(self) -> Any:
        """The only key; a tuple if there are several, None if there is none."""
        return self.keys[0] if len(self.keys) == 1 else self.keys or None

    def format_path(self, show: Callable[[object], str]) -> str:
        """Return the location in Python syntax; `show` formats the keys. A key of a dict reads `bob in Game.players`."""
        keys: list[object] = [*self.keys]
        steps: list[Any] = [*self.steps] or ([self.member] if self.member else [])
        if steps and steps[-1] == IN:
            steps.pop()
            last = steps.pop().key if steps else keys.pop()
            return f"{show(last)} in {self._path(keys, steps, show)}"
        return self._path(keys, steps, show)

    def _path(self, keys: list[object], steps: list[Any], show: Callable[[object], str]) -> str:
        shown = [show(key) for key in keys]
        if self.is_model:
            path = f"{self.name}({', '.join(shown)})"
        else:
            path = f"{self.contract}.{self.name}" + "".join(f"[{key}]" for key in shown)
        return join(path, _written((*steps,), show))

    @property
    def _show(self) -> Callable[[object], str]:
        """The function that shows a value, with the names of the chain."""
        return show_plain if self.names is None else NamedStyle(self.names.name).show


@sealed
@dataclass(frozen=True, slots=True, repr=False)
class Write(StorageLocation):
    """One value in storage that a transaction changed, or tried to.

    >>> write = receipt.writes[-1]
    >>> write
    Race.squares[alice]: 0 -> 4
    >>> write.contract, write.field, write.key == alice, write.old, write.new
    ('Race', 'squares', True, 0, 4)
    """

    old: Any  # the value before
    new: Any  # the value after; None if it is an item that was removed from the end of a list
    is_removed: bool = field(default=False, kw_only=True)  # True for such an item

    def format(self, show: Callable[[object], str]) -> str:
        """Return location and change; `show` formats keys and values."""
        old, new = show(self.old), show(self.new)
        change = f"removed {old}" if self.is_removed else f"{old} -> {new}"
        return f"{self.format_path(show)}: {change}"

    def __str__(self) -> str:
        return self.format(self._show)

    __repr__ = __str__


@sealed
@dataclass(frozen=True, slots=True, repr=False)
class Reading(StorageLocation):
    """One value in storage that a message read.

    >>> receipt.trace.reads[0].value
    0
    """

    value: object  # what was read

    def __str__(self) -> str:
        return f"{self.format_path(self._show)} = {self._show(self.value)}"

    __repr__ = __str__


class PackedValue(NamedTuple):
    """A value at `shift` bits in a word."""

    location: StorageLocation
    layout: ValueType
    shift: int

    def read(self, word: int) -> object:
        return self.layout.unpack(word >> self.shift)


# The words do not match the layout, so they were written by other code.
_MISMATCHES: Final = (UnknownSlot, ValueError, KeyError, Revert)


# The fields of `StorageLocation`.
_Place: TypeAlias = dict[str, Any]
# By address, then by slot: the word before and after.
NetChanges: TypeAlias = dict[bytes, dict[int, tuple[int, int]]]


# Net changes


def words_in(changes: Changes) -> Iterator[tuple[bytes, int, int, int]]:
    """Yield the words among `changes`; a wiped storage yields all of its words."""
    for address, slot, before, after in iter_changes(changes):
        if slot is STORAGE:
            yield from ((address, word_slot, word, 0) for word_slot, word in before)
        elif slot is not ACCOUNT:
            yield address, slot, before or 0, after or 0


def net_changes(changes: Changes) -> NetChanges:
    """Return the first and the last value of every word for which they differ."""
    net: NetChanges = {}
    for address, slot, before, after in words_in(changes):
        words = net.setdefault(address, {})
        words[slot] = (words[slot][0] if slot in words else before, after)
    return _different(net)


def net_of_undone(changes: Changes) -> NetChanges:
    """Return the same for undone changes, which are ordered by message, inner messages first.

    If a change does not continue from the previous one, an outer message begins, and its `before` is the original value.
    """
    net: NetChanges = {}
    for address, slot, before, after in words_in(changes):
        words = net.setdefault(address, {})
        is_continued = slot in words and words[slot][1] == before
        words[slot] = (words[slot][0] if is_continued else before, after)
    return _different(net)


def _different(net: NetChanges) -> NetChanges:
    return {
        address: {slot: pair for slot, pair in words.items() if pair[0] != pair[1]}
        for address, words in net.items()
    }


# Decoding by contract


def decode_writes(
    ledger: Contracts, net: NetChanges, called: Mapping[bytes, Program], then: Callable[[bytes, int], int]
) -> Iterator[Write]:  # fmt: skip
    """Yield the values that differ; `called` are the contracts that ran, `then` returns the words that did not change."""
    for address, words in net.items():
        program = called.get(address) or ledger.program_at(address)
        yield from StorageDiff(ledger, address, program, words, partial(then, address)).writes()


def packed_values(ledger: Contracts, address: bytes, slot: int) -> list[PackedValue] | None:
    """Return the values that a word holds; None unless each of them is known from the word alone."""
    program = ledger.program_at(address)
    return StorageDiff(ledger, address, program, {slot: (0, 0)}, lambda slot: 0).packed(slot)


class RootLayout(NamedTuple):
    """The layout at a slot that is not hashed, or at that of a model, and the way from there."""

    layout: FieldsLayout
    slot: int
    route: SlotDerivation
    model: ModelSpec | None = None
    keys: tuple[object, ...] = ()


class StorageDiff:
    """The words of one account before and after a change; `then` returns the words that did not change."""

    def __init__(
        self,
        ledger: Contracts,
        address: bytes,
        program: Program | None,
        words: Mapping[int, tuple[int, int]],
        then: Callable[[int], int],
    ) -> None:
        self._address, self._words, self._ledger = address, words, ledger
        self._spec = program.spec if program else None
        self._slots = ledger.state.slots
        self._old = StorageSide(self._slots, {slot: pair[0] for slot, pair in words.items()}, then)
        self._new = StorageSide(self._slots, {slot: pair[1] for slot, pair in words.items()}, then)
        self._finder = PathFinder(words, self._old.data_slot)
        self._names = AddressBook(ledger)

    def writes(self) -> Iterator[Write]:
        """Yield the values that differ."""
        for slot, writes in self._describe(self._write):
            old, new = self._words[slot]
            yield from writes or [Write(**self._slot(slot), old=old, new=new)]

    def readings(self) -> Iterator[Reading]:
        """Yield the values that the words are part of, as they were before."""
        for slot, readings in self._describe(self._reading):
            yield from readings or [Reading(**self._slot(slot), value=self._words[slot][0])]

    def packed(self, slot: int) -> list[PackedValue] | None:
        """Return the values that the word holds; None unless each of them is known from the word alone."""
        try:
            root = self._root(derivation_of(self._slots, slot))
            spots = list(self._finder.spots(root.layout, root.slot, root.route, ()))
        except _MISMATCHES:
            return None
        values = []
        for spot in [part for each in spots for part in _innermost(each)]:
            layout = spot.layout
            if layout.size is None or isinstance(layout, OptionalType):
                return None
            location = StorageLocation(**self._named(root, spot.path))
            values.append(PackedValue(location, layout, spot.shift))
        return values

    def _describe(
        self, tell: Callable[[RootLayout, StoragePath], Iterator[T]]
    ) -> Iterator[tuple[int, list[T] | None]]:
        """Yield for each word what `tell` returns for its values; None if the word has no name."""
        described: set[tuple[int, int]] = set()  # one text may span many words
        for slot in self._words:
            try:
                root = self._root(derivation_of(self._slots, slot))
                spots = self._finder.spots(root.layout, root.slot, root.route, ())
                new_spots = [spot for spot in spots if (spot.slot, spot.shift) not in described]
                values = [value for spot in new_spots for value in tell(root, spot)]
            except _MISMATCHES:
                yield slot, None
                continue
            described.update((spot.slot, spot.shift) for spot in new_spots)
            if values:
                yield slot, values

    def _slot(self, slot: int) -> _Place:
        """Return the location of a slot without a name."""
        contract = self._spec.name if self._spec else checksum_address(self._address)
        return self._place(contract, f"slot {slot:#x}")

    def _root(self, route: SlotDerivation) -> RootLayout:
        if self._spec is None:
            raise UnknownSlot
        first = route.words[0]
        if is_system(self._spec.cls) and first == runtime.SYSTEM_SLOT:
            return RootLayout(runtime.HOME_FIELDS, runtime.SYSTEM_SLOT, route)
        if first == MODELS and len(route.hops) >= 2:
            (selector, _), (keys, start) = route.hops[:2]
            model = self._models.get(selector or b"")
            if model is None or keys is None:
                raise UnknownSlot
            return RootLayout(model.layout, start, route.after(2), model, model.decode_keys(keys))
        if self._spec.fields is None:
            raise UnknownSlot
        return RootLayout(self._spec.fields, 0, route)

    @cached_property
    def _models(self) -> Mapping[bytes, ModelSpec]:
        """The models of the world in all its namespaces by selector; empty if the contract is not a world."""
        ledger = self._ledger
        if self._spec is None or not is_world(self._spec.cls):
            return {}
        world = WorldNamespace(ledger, ledger.state, self._address)
        return {key: spec for space in world.spaces() for key, spec in space.models.items()}

    def _write(self, root: RootLayout, spot: StoragePath) -> Iterator[Write]:
        """Yield the write of the value at `spot`, or those of its members; nothing if it did not change."""
        old, new = self._values(spot)
        if spot.is_removed:
            yield Write(**self._named(root, spot.path), old=old, new=None, is_removed=True)
            return
        if old == new:
            return
        inner = unwrap_optional(spot) if old is not None and new is not None else spot
        parts = struct_members(inner)
        for part in parts:
            yield from self._write(root, part)
        if not parts:
            yield Write(**self._named(root, spot.path), old=old, new=new)

    def _reading(self, root: RootLayout, spot: StoragePath) -> Iterator[Reading]:
        layout = spot.layout
        if layout.size is not None:
            value = layout.unpack(self._old.sload(spot.slot) >> spot.shift)
        else:
            value = layout.load(self._old, spot.slot)
        yield Reading(**self._named(root, spot.path), value=value)

    def _values(self, spot: StoragePath) -> tuple[Any, Any]:
        layout = spot.layout
        if layout.size is None:
            return layout.load(self._old, spot.slot), layout.load(self._new, spot.slot)
        old, new = (side.sload(spot.slot) >> spot.shift for side in (self._old, self._new))
        if (old ^ new) & ((1 << 8 * layout.size) - 1) == 0 and not spot.is_removed:
            return None, None  # another part of the word changed
        return layout.unpack(old), layout.unpack(new)

    def _named(self, root: RootLayout, path: SlotPath) -> _Place:
        """Return a location by name."""
        contract = self._spec.name if self._spec else ""
        if root.model is not None:
            return self._place(contract, root.model.name, root.keys, path) | {"is_model": True}
        keys = _leading_keys(path[1:])
        return self._place(contract, str(path[0]), keys, path[1 + len(keys) :])

    def _place(
        self, contract: str, name: str, keys: tuple[object, ...] = (), steps: SlotPath = ()
    ) -> _Place:
        return {
            "address": Address(self._address),
            "contract": contract,
            "name": name,
            "keys": keys,
            "member": _written(steps, show_plain),
            "steps": steps,
            "names": self._names,
        }


def _innermost(spot: StoragePath) -> list[StoragePath]:
    """Return the members of a packed record, and their members in turn; the value itself if it has none."""
    return [each for part in struct_members(spot) for each in _innermost(part)] or [spot]


def _leading_keys(path: SlotPath) -> tuple[object, ...]:
    keys = []
    for step in path:
        if not isinstance(step, IndexedStep):
            break
        keys.append(step.key)
    return tuple(keys)


def _written(path: SlotPath, show: Callable[[object], str]) -> str:
    """Return a path in Python syntax."""
    steps = (
        f"[{show(step.key)}]" if isinstance(step, IndexedStep) else f".{step}" for step in path
    )
    return "".join(steps).removeprefix(".")


class StorageSide(ReadOnlyStorage):
    """The words before or after a transaction; `then` returns the words that it did not change."""

    __slots__ = ("_then",)

    def __init__(self, slots: Slots, words: Mapping[int, int], then: Callable[[int], int]) -> None:
        super().__init__(slots, words)
        self._then = then

    def sload(self, slot: int) -> int:
        return self._words[slot] if slot in self._words else self._then(slot)
