"""The event types of a chain, and which of them a log holds.

A log belongs to the contract whose code emitted it: that contract's class, or its artifact, defines what the log means. If that
code is unknown, as with bytecode, the first topic and the number of topics decide, and the contract that was deployed first
wins. Two events are of one type if their classes have the same full name and the same fields. This holds for the events of a
shared module, and for those of two versions of a contract that did not change the event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from chain.abi import BadData
from chain.abi.json_abi import AbiEvent, events_from_json
from chain.ledger.artifacts import artifact_of, describe_record
from chain.ledger.known_contracts import Contracts
from chain.ledger.type_descriptions import Parts
from chain.machine.state import LogRow
from chain.spec.contracts import ContractSpec
from chain.spec.records import EventSpec
from chain.spec.upgrade_entry import Upgraded
from chain.values.records import described_members

Spec: TypeAlias = EventSpec | AbiEvent
# Digest of the code, first topic, number of topics.
Source: TypeAlias = tuple[bytes | None, int, int]

UPGRADED: Final[EventSpec] = Upgraded.__event__  # type: ignore[attr-defined]  # any contract may emit it


class EventType(NamedTuple):
    """An event type: its key, the spec that decodes it, and the contract that declared it first."""

    key: Parts
    spec: Spec
    contract: str | None
    is_there: bool  # a deployed contract declares it


class Meaning(NamedTuple):
    """The meaning of a log: the spec that decodes it, its type, and the contract whose code emitted it, if known."""

    spec: Spec
    type: EventType
    contract: str | None
    is_declared: bool  # its class is declared


class KnownContract(NamedTuple):
    """A contract and the types of its events."""

    spec: ContractSpec
    events: tuple[EventType, ...]
    is_there: bool


class EventTypes:
    """The event types of one chain."""

    def __init__(self, ledger: Contracts, has_upgrades: Callable[[], bool]) -> None:
        self._ledger = ledger
        self.has_upgrades = has_upgrades  # True if some contract was upgraded
        # From a JSON ABI, or from a query for a class that no contract declares.
        self._more: list[Spec] = []
        self._programs, self._codes = ledger.programs, ledger.state.codes
        self._artifacts = ledger.artifacts.recorded
        self._by_class: dict[int, list[Meaning]] = {}  # by the id() of the event's spec
        self.version = -1
        self._known: list[KnownContract] = []
        self._types: dict[object, EventType] = {}
        self._declared: dict[Source, Meaning] = {}
        self._others: dict[tuple[int, int], Meaning] = {}  # where the code is unknown

    def register_abi(self, abi: list[dict[str, object]]) -> None:
        """Register the events of a foreign contract."""
        self._more += events_from_json(abi)

    def copy_from(self, other: EventTypes) -> None:
        self._more = [*other._more]

    def all(self) -> list[EventType]:
        """Return all event types: those of deployed contracts in order of deployment, then those of contracts only declared."""
        return [each for each in self.types() if self._is_there(each.spec)]

    def types(self) -> list[EventType]:
        """Return the same, and in any case that of upgrades."""
        self._update()
        return list(self._types.values())

    def contracts(self) -> list[KnownContract]:
        """Return all known contracts: the deployed ones in order of deployment, then the others."""
        self._update()
        return self._known

    def _is_there(self, spec: Spec) -> bool:
        return spec is not UPGRADED or self.has_upgrades()

    def meaning(self, row: LogRow) -> Meaning | None:
        """Return the meaning of a log; None if no known contract declares it."""
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
        """True if all are events of one contract that was changed. Two that are declared at the same time are two contracts."""
        declared = {meaning.type.key for meaning in found if meaning.is_declared}
        return len({meaning.contract for meaning in found}) == 1 and len(declared) < 2

    def is_certain(self, source: Source) -> bool:
        """True if the code that emitted such a log declares the event in it."""
        self._update()
        return source in self._declared

    # Queries

    def read_by(self, spec: EventSpec) -> list[Meaning]:
        """Return all meanings of an event class: of the contracts that declare it, or else an equal one."""
        self._update()
        meanings = self._by_class.get(id(spec))
        if meanings is None:
            meanings = [meaning for meaning in self._meanings() if meaning.spec is spec]
            meanings = meanings or self._of_key(spec)
            self._by_class[id(spec)] = meanings
        return meanings

    def _of_key(self, spec: EventSpec) -> list[Meaning]:
        key = _key(spec)
        meanings = [meaning for meaning in self._meanings() if meaning.type.key == key]
        if not meanings and spec not in self._more:
            self._more.append(spec)
            self._update()
            return [meaning for meaning in self._meanings() if meaning.spec is spec]
        return meanings

    def named(self, name: str) -> list[Meaning]:
        """Return all meanings with a name: `Moved`, `Moved(address,uint8)`, or of one contract: `Race.Moved`."""
        self._update()
        contract, dot, event = name.partition(".")
        if not dot or "(" in contract:
            contract, event = "", name
        meanings = [
            meaning
            for meaning in self._meanings()
            if event in (meaning.spec.name, meaning.spec.signature)
            and contract in ("", meaning.contract)
        ]
        if meanings:
            return meanings
        names = ", ".join(
            sorted({event_type.spec.name for event_type in self.all() if event_type.is_there})
        )
        raise TypeError(
            f"no contract on this chain declares an event '{name}'; there are {names or 'none'}"
        )

    def check_name(self, name: str) -> None:
        """Check that `name` is the plain name of an event, as the events of one receipt are looked up by it."""
        if all(meaning.spec.name != name for meaning in self.named(name)):
            raise TypeError(
                f"'{name}' is more than a name: within one receipt use the plain name of the event"
            )

    def _meanings(self) -> Iterator[Meaning]:
        """Yield each meaning once. One for unknown code is also that of a contract, or else it comes at the end."""
        yield from self._declared.values()
        others = (meaning for meaning in self._others.values() if meaning.contract is None)
        yield from (meaning for meaning in others if self._is_there(meaning.spec))

    # Building the tables

    def _update(self) -> None:
        """Rebuild the tables if more is known than before. What is known never shrinks."""
        version = len(self._programs) + len(self._codes) + len(self._artifacts) + len(self._more)
        version += len(self._ledger.foreign) + len(self._programs.kept)
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
                event_spec = spec if digest in ledger.programs else classes.get(key, spec)
                types.append(self._enter(key, event_spec, contract.name, is_there, digest))
            self._known.append(KnownContract(contract, tuple(types), is_there))
        for spec in self._more:
            self._enter(_key(spec), spec, None, False, None)
        self._enter(_key(UPGRADED), UPGRADED, None, True, None)

    def _event_classes(self) -> dict[object, Spec]:
        """Return the specs of the declared event classes, by key."""
        specs: dict[object, Spec] = {}
        for digest, program in self._ledger.programs.items():
            for key, spec in _events_of(self._ledger, digest, program.spec):
                specs.setdefault(key, spec)
        return specs

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
        self, key: Parts, spec: Spec, contract: str | None, is_there: bool, digest: bytes | None
    ) -> EventType:
        event_type = self._types.setdefault(key, EventType(key, spec, contract, is_there))
        meaning = Meaning(
            spec, event_type, contract, digest is None or digest in self._ledger.programs
        )
        shape = spec.topic, 1 + len(spec.keys)
        self._others.setdefault(shape, meaning)
        if digest is not None:
            self._declared[digest, *shape] = meaning
        return event_type


def decoded(row: LogRow, spec: Spec) -> object:
    """Return the event in a log as `spec` describes it; None if the log has another form."""
    _, topics, data, kept, _ = row
    try:
        if kept is not None and isinstance(spec, EventSpec):
            return spec.decode_whole(kept)
        return spec.decode(topics, data)
    except (BadData, ValueError):
        return None


def decoded_members(row: LogRow, spec: Spec) -> Sequence[object] | None:
    """Return the members of the event in a log, which need not be made if it is plain; None if the log has another form."""
    _, topics, data, kept, _ = row
    if kept is None and isinstance(spec, EventSpec) and spec.is_plain:
        try:
            return spec.decode_members(topics, data)
        except (BadData, ValueError):
            return None
    event = decoded(row, spec)
    return None if event is None else [getattr(event, member.name) for member in spec.members]


def _events_of(
    ledger: Contracts, digest: bytes, contract: ContractSpec
) -> Iterator[tuple[Parts, Spec]]:
    """Yield the events of a contract, each with its key."""
    artifacts = ledger.artifacts
    artifact = artifacts.get(digest) or artifact_of(ledger.programs[digest])
    for key in artifact.events:
        yield key, contract.events[key[0]]


def _key(spec: Spec) -> Parts:
    if isinstance(spec, EventSpec):
        return describe_record(spec.record)
    return spec.name, None, described_members(spec.members), spec.keys
