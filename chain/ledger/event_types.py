"""Which events there are on a chain, and which of them a log holds.

A log belongs to the contract whose code wrote it: that contract's class, or its artifact, says what the log means. Only where
nobody knows that code, as with bytecode, topic and number of topics decide; the contract that came first then wins. Two events
are of one type if their classes have the same full name and the same fields: so are those of a shared module, and those of
two versions of a contract that left the event as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from chain.abi import BadData
from chain.abi.json_abi import (
    AbiEvent,
    events_from_json,
)
from chain.ledger.artifacts import artifact_of, describe_record
from chain.ledger.type_descriptions import describe_members
from chain.machine.state import LogRow
from chain.spec.contracts import ContractSpec
from chain.spec.records import EventSpec
from chain.spec.upgrade_entry import Upgraded

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

Spec: TypeAlias = EventSpec | AbiEvent
Source: TypeAlias = tuple[bytes | None, int, int]  # digest of the code, first topic, topics

UPGRADED: Final[EventSpec] = Upgraded.__event__  # type: ignore[attr-defined]  # any contract may announce it


class EventType(NamedTuple):
    """A type of event: what identifies it, how it is read, and the contract that declared it first."""

    key: Any
    spec: Spec
    contract: str | None
    is_there: bool  # a contract that is on the chain declares it


class Meaning(NamedTuple):
    """What a log means: how it is read, its type, and the contract whose code wrote it, as far as that is known."""

    spec: Spec
    type: EventType
    contract: str | None
    is_declared: bool  # its class is at hand


class KnownContract(NamedTuple):
    """A contract and the types of its events."""

    spec: ContractSpec
    events: tuple[EventType, ...]
    is_there: bool


class EventTypes:
    """The types of events on one chain."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._more: list[
            Spec
        ] = []  # of a JSON ABI, or asked for by a class of which no contract knows
        self._is_upgraded = False  # a contract was
        self._programs, self._codes = ledger.programs, ledger.state.codes
        self._artifacts = ledger.artifacts.recorded
        self._by_class: dict[int, list[Meaning]] = {}  # by the identity of an event's description
        self.version = -1
        self._known: list[KnownContract] = []
        self._types: dict[Any, EventType] = {}
        self._declared: dict[Source, Meaning] = {}
        self._others: dict[tuple[int, int], Meaning] = {}  # where the code tells nothing

    def learn_json(self, abi: list[dict[str, Any]]) -> None:
        """Know the events of a foreign contract."""
        self._more += events_from_json(abi)

    def copy_from(self, other: EventTypes) -> None:
        self._more, self._is_upgraded = [*other._more], other._is_upgraded

    def all(self) -> list[EventType]:
        """In the order in which their contracts came onto the chain; then those of contracts that are only declared."""
        self._update()
        return list(self._types.values())

    def contracts(self) -> list[KnownContract]:
        """All contracts that are known: those on the chain in the order in which they came, then the others."""
        self._update()
        return self._known

    def has_upgrades(self) -> bool:
        """Whether some contract was upgraded."""
        self._update()
        return self._is_upgraded

    def meaning(self, row: LogRow) -> Meaning | None:
        """What a log means; None where nobody has declared it."""
        topics = row[1]
        if not topics:
            return None
        self._update()
        source = row[4], topics[0], len(topics)
        return self._declared.get(source) or self._others.get(source[1:])

    def of_source(self, source: Source) -> Meaning | None:
        self._update()
        return self._declared.get(source) or self._others.get(source[1:])

    def are_versions(self, found: list[Meaning]) -> bool:
        """Whether all are of one contract, which was changed; two that are declared at once are two contracts."""
        declared = {each.type.key for each in found if each.is_declared}
        return len({each.contract for each in found}) == 1 and len(declared) < 2

    def is_certain(self, source: Source) -> bool:
        """Whether the code that wrote such a log declares the event in it."""
        self._update()
        return source in self._declared

    # What is asked for

    def read_by(self, spec: EventSpec) -> list[Meaning]:
        """All meanings of an event's class: of contracts that declare it, else of those whose class was called so."""
        self._update()
        found = self._by_class.get(id(spec))
        if found is None:
            found = [each for each in self._meanings() if each.spec is spec]
            found = found or self._of_key(spec)
            self._by_class[id(spec)] = found
        return found

    def _of_key(self, spec: EventSpec) -> list[Meaning]:
        key = _key(spec)
        found = [each for each in self._meanings() if each.type.key == key]
        if not found and spec not in self._more:
            self._more.append(spec)
            self._update()
            return [each for each in self._meanings() if each.spec is spec]
        return found

    def named(self, name: str) -> list[Meaning]:
        """All meanings that go by a name: `Moved`, `Moved(address,uint8)`, or of one contract: `Race.Moved`."""
        self._update()
        contract, dot, event = name.partition(".")
        if not dot or "(" in contract:
            contract, event = "", name
        found = [
            each
            for each in self._meanings()
            if event in (each.spec.name, each.spec.signature) and contract in ("", each.contract)
        ]
        if found:
            return found
        names = ", ".join(sorted({each.spec.name for each in self.all() if each.is_there}))
        raise TypeError(
            f"no contract on this chain declares an event '{name}'; there are {names or 'none'}"
        )

    def check_name(self, name: str) -> None:
        """Refuse what is not the plain name of an event, by which those of one receipt are found."""
        if all(each.spec.name != name for each in self.named(name)):
            raise TypeError(
                f"'{name}' is more than a name: in one receipt events go by their plain name"
            )

    def _meanings(self) -> Iterator[Meaning]:
        """Each once: what stands for unknown code is that of a contract too, or stands at the end."""
        yield from self._declared.values()
        yield from (each for each in self._others.values() if each.contract is None)

    # Making the tables

    def _update(self) -> None:
        """Make the tables anew where more is known than before. What is known never gets less."""
        if not self._is_upgraded and self._ledger.events.has_kind(UPGRADED.topic):
            self._more.append(UPGRADED)
            self._is_upgraded = True
        version = len(self._programs) + len(self._codes) + len(self._artifacts) + len(self._more)
        if version != self.version:
            self._fill()
            self.version = version

    def _fill(self) -> None:
        ledger = self._ledger
        self._known = []
        self._types, self._declared, self._others, self._by_class = {}, {}, {}, {}
        classes = self._event_classes()
        for digest, contract, is_there in self._contracts():
            types = []
            for key, spec in _events_of(ledger, digest, contract):
                own = spec if digest in ledger.programs else classes.get(key, spec)
                types.append(self._enter(key, own, contract.name, is_there, digest))
            self._known.append(KnownContract(contract, tuple(types), is_there))
        for spec in self._more:
            self._enter(_key(spec), spec, None, spec is UPGRADED, None)

    def _event_classes(self) -> dict[Any, Spec]:
        """The event classes that are at hand, by what identifies them."""
        found: dict[Any, Spec] = {}
        for digest, program in self._ledger.programs.items():
            for key, spec in _events_of(self._ledger, digest, program.spec):
                found.setdefault(key, spec)
        return found

    def _contracts(self) -> Iterable[tuple[bytes, ContractSpec, bool]]:
        ledger = self._ledger
        for digest in ledger.artifacts:
            program = ledger.program(digest)
            assert program is not None
            yield digest, program.spec, True
        for digest, program in ledger.programs.items():
            if digest not in ledger.artifacts:
                yield digest, program.spec, False

    def _enter(
        self, key: Any, spec: Spec, contract: str | None, is_there: bool, digest: bytes | None
    ) -> EventType:
        found = self._types.setdefault(key, EventType(key, spec, contract, is_there))
        meaning = Meaning(spec, found, contract, digest is None or digest in self._ledger.programs)
        shape = spec.topic, 1 + len(spec.keys)
        self._others.setdefault(shape, meaning)
        if digest is not None:
            self._declared[digest, *shape] = meaning
        return found


def decoded(row: LogRow, spec: Spec) -> Any:
    """The event in a log as `spec` describes it; None where the log is of another form."""
    _, topics, data, kept, _ = row
    try:
        if kept is not None and isinstance(spec, EventSpec):
            return spec.decode_whole(kept)
        return spec.decode(topics, data)
    except (BadData, ValueError):
        return None


def _events_of(ledger: Ledger, digest: bytes, contract: ContractSpec) -> Iterator[tuple[Any, Spec]]:
    """The events of a contract, each with what identifies it."""
    artifacts = ledger.artifacts
    artifact = artifacts.get(digest) or artifact_of(ledger.programs[digest])
    for key in artifact.events:
        yield key, contract.events[key[0]]


def _key(spec: Spec) -> Any:
    if isinstance(spec, EventSpec):
        return describe_record(spec.record)
    return spec.name, None, describe_members(spec.members), spec.keys
