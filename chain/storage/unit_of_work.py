"""The unit of work of a contract: what its messages have read from storage and may change, each object kept at its place.

Reading a place twice gives the same object, as reading an attribute does. What changed is written when the message ends, and
before it sends another one. The messages of one contract that run inside each other share these objects; when one of them
fails, the objects are what they were before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Final, NamedTuple, Protocol, TypeAlias, TypeGuard

from chain.source.failure_line import running_author_line
from chain.values import StructType, ValueMismatch
from chain.values.kind import Words
from chain.values.mismatch import join

Line: TypeAlias = tuple[str, int]  # file and line

_ABSENT: Final = object()


class Place(NamedTuple):
    """The place of a value: `shift` bits from the low end of the word at `slot`, or from that word on."""

    slot: int
    shift: int = 0


class Peekable(Words, Protocol):
    """Words that can also be read without paying."""

    @property
    def static(self) -> bool: ...
    @property
    def unpaid(self) -> Any: ...
    def peek(self, slot: int) -> int: ...
    def map_slot(self, slot: int, key: bytes) -> int: ...
    def refusal(self, what: str) -> Exception: ...


class ReadOnly(TypeError):
    """Words that cannot be written; the text is the path of what would change."""

    def prefixed(self, name: str) -> ReadOnly:
        """Return the same error with `name` in front of its path."""
        return ReadOnly(join(name, str(self)))


class MemoryWords:
    """A copy of the words of a collection that is no longer in storage."""

    static = False

    def __init__(self, words: Peekable, slots: Iterable[int]) -> None:
        self.words = {slot: words.sload(slot) for slot in [*slots]}
        unpaid = words.unpaid
        self.data_slot, self.map_slot = unpaid.data_slot, unpaid.map_slot
        self.unpaid = self

    def sload(self, slot: int) -> int:
        return self.words.get(slot, 0)

    peek = sload

    def sstore(self, slot: int, word: int) -> None:
        self.words[slot] = word


class Holder:
    """Places in storage, and the objects that were taken from them: a contract's fields or a collection."""

    __slots__ = ("_layout", "_slot", "_taken", "_work")
    _is_stored = True  # annotations of values refuse such a class
    _example: ClassVar[str]  # an annotation of a field
    _layout: Any
    _slot: int
    _work: UnitOfWork

    def __init__(self, work: UnitOfWork, slot: int, layout: Any) -> None:
        self._work, self._slot, self._layout = work, slot, layout
        self._taken: dict[Any, Any] = {}  # by index or encoded key

    def _place_of(self, key: Any) -> tuple[Any, Place]:
        """Return the layout and the place of the object under a key of `_taken`."""
        raise NotImplementedError

    def _step_of(self, key: Any) -> str:
        """Return the last step of the path to that object, such as `[3]`, for errors."""
        raise NotImplementedError

    def _take(self, key: Any) -> Any:
        """Return the object at a place, always the same one."""
        value = self._taken.get(key, _ABSENT)
        if value is _ABSENT:
            layout, place = self._place_of(key)
            value = layout.take(self._work, place)
            if self._work.is_outside:
                return value
            self._taken[key] = value
        if not isinstance(value, Holder):
            self._work.lines[id(value)] = running_author_line()
        return value

    def _assign(self, key: Any, value: Any) -> None:
        """Put an object at a place. It is written later."""
        before = self._taken.get(key, _ABSENT)
        if before is value:
            return
        if self._work.is_outside:
            self._require_writable(self._step_of(key))
        layout, place = self._place_of(key)
        try:
            layout.refuse_misfit(value)
        except ValueMismatch as wrong:
            raise wrong.prefixed(self._name + self._step_of(key)) from None
        if is_collection(before) and before._is_at(self._work, place.slot):
            before._let_go()
        self._taken[key] = value
        self._work.lines[id(value)] = running_author_line()

    @property
    def _name(self) -> str:
        """The path of the collection, for errors."""
        name: str = self._layout.name
        return name

    def _give_up(self, key: Any) -> None:
        """Forget the object at a place whose words are about to be cleared."""
        before = self._taken.pop(key, None)
        if is_collection(before) and before._is_at(self._work, self._place_of(key)[1].slot):
            before._let_go()

    def _require_writable(self, step: str = "") -> None:
        """Refuse a change of what is written at once, in a view."""
        words = self._work.words
        if words.static:
            raise words.refusal(f"change {self._name}{step}")

    def _is_at(self, work: UnitOfWork, slot: int) -> bool:
        """Return True if the items of this collection are still at that place."""
        return self._work is work and self._slot == slot

    def _let_go(self) -> None:
        """Copy the items of this collection, as others take their place."""
        self._write()
        before = self._work
        copied = MemoryWords(before.words, self._layout.used(before.words, self._slot))
        after = UnitOfWork(copied)
        for holder in [*self._holders()]:
            holder._work = after

    def _forget(self) -> None:
        """Forget frozen items that were read, as their words changed."""

    def _write(self) -> None:
        """Write what changed of the objects that were taken."""
        words = self._work.words
        for key, value in self._taken.items():
            layout, place = self._place_of(key)
            try:
                layout.settle(words, place, value)
            except (ValueMismatch, ReadOnly) as wrong:
                self._work.line = self._work.line or self._work.lines.get(id(value))
                raise wrong.prefixed(self._step_of(key)) from None

    def _holders(self) -> Iterator[Holder]:
        """Yield this and all collections below it that are in the same storage."""
        yield self
        for value in [*self._taken.values()]:
            if is_collection(value) and value._work is self._work:
                yield from value._holders()


class UnitOfWork(Holder):
    """The fields of a contract, during its messages."""

    __slots__ = (
        "_around",
        "broken",
        "is_model",
        "is_outside",
        "layout",
        "line",
        "lines",
        "name",
        "words",
    )

    def __init__(self, words: Any, layout: Any = None, slot: int = 0, name: str = "") -> None:
        super().__init__(self, slot, layout)
        self.name = name  # of the model; that of the contract is known to its frame
        self.is_model = bool(name)
        # Outside of messages nothing is kept: it is read as it is now.
        self.is_outside = getattr(words, "kind", "") == "fields"
        self.words = words  # the frame of the message that runs
        self.layout = layout
        self.broken: Exception | None = None  # what could not be written
        self.line: Line | None = None  # that last took or assigned it
        # For each object that was taken or assigned, but for collections that were taken: the line that did it last.
        self.lines: dict[int, Line | None] = {}
        self._around: list[Any] = []  # the frames of the messages around the one that runs

    def _place_of(self, key: int) -> tuple[Any, Place]:
        layout = self._layout
        spot: Place = layout.spots[key]
        if self._slot:
            spot = Place(self._slot + spot.slot, spot.shift)
        return layout.layouts[key], spot

    @property
    def _name(self) -> str:
        return f"{self.contract}."

    @property
    def contract(self) -> str:
        """The name of the contract, or of the model."""
        name: str = self.name or self.words.program.spec.name
        return name

    def _step_of(self, key: int) -> str:
        name: str = self._layout.names[key]
        return name

    def flush(self) -> None:
        """Write what changed. What does not fit fails the message, even if its entry catches the error."""
        if self.broken is not None:
            raise self.broken
        if not self.lines and not self.is_model:  # what is in collections is written at once
            return
        words = self.words
        contract = self.contract
        try:
            if words.static:
                self.words = words.unpaid
            self._write()
            if self.lines:
                self._require_own_places(contract)
        except ReadOnly as place:
            self.broken = words.refusal(f"change {contract}.{place}")
            raise self.broken from None
        except ValueMismatch as wrong:
            self.broken = wrong.prefixed(contract)
            raise self.broken from None
        except (TypeError, ValueError) as error:
            self.broken = error
            raise
        finally:
            self.words = words

    def _require_own_places(self, contract: str) -> None:
        """Refuse an object at two places, as after the message they would part, and an attribute that is no field."""
        seen: dict[int, str] = {}
        for path, kind, value, line in objects_of(self, contract):
            other = seen.setdefault(id(value), path)
            if other != path:
                self.line = line
                raise TypeError(
                    f"{other} and {path} are one object, and would be two after this message: put a copy there"
                )
            if isinstance(kind, StructType):
                known = {member.name for member in kind.members}
                for name in vars(value) if hasattr(value, "__dict__") else ():
                    if name not in known and not hasattr(type(value), name):
                        self.line = line
                        raise TypeError(
                            f"{path}.{name} would be lost: {kind.name} has no field '{name}'"
                        )

    # Messages inside messages

    def enter(self, frame: Any) -> None:
        """Begin a message of the same contract inside the one that waits."""
        self._around.append(self.words)
        self.words = frame
        frame.state.access_journal.append((Savepoint(self), None))

    def leave(self) -> bool:
        """End the running message, and return True if it was the outermost one."""
        if not self._around:
            return True
        self.words = self._around.pop()
        return False


class Savepoint:
    """The objects that a message can change, with their content from before it. The journal restores them if it fails."""

    def __init__(self, work: UnitOfWork) -> None:
        self._kept = [(work, _content(work))]
        for _, _, value, _ in objects_of(work, ""):
            self._kept.append((value, _content(value)))

    def __delitem__(self, _: None) -> None:
        """Go back to this, as the journal deletes its entries."""
        for value, content in self._kept:
            _restore(value, content)


def _content(value: Any) -> Any:
    """Return what an object holds, not deeper."""
    if isinstance(value, Holder):
        words = value._work.words
        memory = dict(words.words) if isinstance(words, MemoryWords) else None
        return value._work, dict(value._taken), memory
    if isinstance(value, list | dict | set):
        return value.copy()
    if hasattr(value, "__dict__"):
        return dict(vars(value))
    slots = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
    return {name: getattr(value, name) for name in slots if hasattr(value, name)}


def _restore(value: Any, content: Any) -> None:
    """Give an object what it held, in place."""
    if isinstance(value, Holder):
        value._work, value._taken, memory = content
        value._forget()
        if isinstance(value, UnitOfWork):
            value.broken = value.line = None
        if memory is not None:
            value._work.words.words = memory
    elif isinstance(value, list):
        value[:] = content
    elif isinstance(value, dict | set):
        value.clear()
        value.update(content)
    elif hasattr(value, "__dict__"):
        vars(value).clear()
        vars(value).update(content)
    else:
        for name, member in content.items():
            object.__setattr__(value, name, member)


def is_collection(value: object) -> TypeGuard[Holder]:
    return isinstance(value, Holder)


class Found(NamedTuple):
    """An object that can change in place: its path, its kind, and the line that last took or assigned it."""

    path: str
    kind: Any
    value: Any
    line: Line | None


def objects_of(holder: Holder, path: str) -> Iterator[Found]:
    """Yield all objects below a holder that can change in place."""
    lines = holder._work.lines
    for key, value in holder._taken.items():
        step = join(path, holder._step_of(key))
        yield from _objects(holder._place_of(key)[0], value, step, lines.get(id(value)))


def _objects(kind: Any, value: Any, path: str, line: Line | None) -> Iterator[Found]:
    if not kind.is_changeable or value is None:
        return
    if not isinstance(value, tuple):
        yield Found(path, kind, value, line)
    if is_collection(value):
        yield from objects_of(value, path)
        return
    for step, inner, part in kind.split(value) or ():
        yield from _objects(inner, part, join(path, step), line)
