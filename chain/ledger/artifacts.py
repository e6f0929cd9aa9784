"""Artifacts: each contract class as it was when its code was deployed, as plain data, by the digest in that code.

The code of a Python contract holds only a digest of its source. The artifact stores the name, the ABI, the storage layout and
all types in full. So a chain's history can be read even if the class is not declared, or was edited since: the artifact
provides a counterpart of the class that decodes everything but cannot run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import make_dataclass
from functools import cache, cached_property
from itertools import islice
from typing import Any, Final, NoReturn

from chain import abi, runtime
from chain.foundation.dataclass import dataclass
from chain.ledger.imported_classes import classes_named
from chain.ledger.type_descriptions import (
    Parts,
    describe_layout,
    layout_from,
    members_of,
    type_from_description,
)
from chain.machine.machine import Programs
from chain.metering.as_data import original_name
from chain.metering.program import DEPLOYED, Program, parse_code
from chain.runtime import is_system, is_world
from chain.runtime.contract import Contract, ContractType
from chain.source.location import Source
from chain.spec.contracts import REQUIRED, ContractSpec, EntrySpec
from chain.spec.models import ModelSpec
from chain.spec.records import ErrorSpec, EventSpec, RecordSpec
from chain.spec.references import References
from chain.spec.storage_report import contract_layout_report, model_shape
from chain.storage.fields import FieldsLayout
from chain.values import StructType as RecordKind
from chain.values.records import described_members

_BASES: Final[dict[str, Callable[[], type]]] = {
    "World": lambda: runtime.World,
    "System": lambda: runtime.System,
    "Contract": lambda: Contract,
}


@dataclass(frozen=True)
class Artifact:
    """A contract class as plain data."""

    name: str
    full_name: str  # module:Class
    types: Parts  # the base class, @init, entries, fields, events, errors, models

    @property
    def row(self) -> tuple[object, ...]:
        """The artifact as a row of a chain file."""
        return self.name, self.full_name, self.types

    @classmethod
    def from_row(cls, row: tuple[Any, ...]) -> Artifact:
        return cls(*row)

    @cached_property
    def abi(self) -> list[dict[str, object]]:
        """The JSON ABI."""
        return self.spec.abi

    @cached_property
    def storage(self) -> list[dict[str, object]]:
        """The fields, each with its type and position."""
        return [spot._asdict() for spot in contract_layout_report(self.spec)]

    @cached_property
    def models(self) -> dict[str, Any]:
        """The models by name: their keys, and their members with types and positions."""
        return {name: _model_shape(model) for name, model in self.spec.models.items()}

    @property
    def module(self) -> str:
        return self.full_name.partition(":")[0]

    @property
    def events(self) -> Parts:
        """The events of the contract: name, full name, fields, keys."""
        events: Parts = self.types[4]
        return events

    @property
    def spec(self) -> ContractSpec:
        """A counterpart of the class: everything it declared, without code."""
        base, init, entries, fields, events, errors, models = self.types
        cls, home = class_of(self.full_name, _BASES[base]()), self.module
        made = [_entry(self.name, description, home) for description in entries]
        layout = _fields(self.name, fields, home)
        spec = _RecordedSpec(
            cls,
            {entry.name: entry for entry in made},
            _entry(self.name, init, home) if init else None,
            layout,
            [],
        )
        for name, field in layout.properties(self.name).items() if layout else ():
            setattr(cls, name, field)
        cls.__spec__ = spec
        vars(spec)["recorded"] = events, errors, models
        return spec


class _RecordedSpec(ContractSpec):
    """The description of a class whose code is not here."""

    recorded: tuple[Parts, Parts, Parts]  # events, errors, models

    @cached_property
    def references(self) -> References:
        events, errors, models = self.recorded
        return References(
            {event[0]: _event(event) for event in events},
            {error[0]: _error(error) for error in errors},
            {model[0]: _model(model) for model in models},
        )


@cache
def artifact_of(program: Program) -> Artifact:
    """Return the artifact of a declared contract."""
    spec, cls = program.spec, program.spec.cls
    return Artifact(
        spec.name,
        full_name(cls),
        (
            "World" if is_world(cls) else "System" if is_system(cls) else "Contract",
            None if spec.init is None else _describe_entry(spec.init),
            tuple(map(_describe_entry, spec.entries.values())),
            _describe_fields(spec.fields),
            tuple(describe_record(event.record) for event in spec.events.values()),
            tuple(describe_record(error.record) for error in spec.errors.values()),
            tuple(describe_record(model.record) for model in spec.models.values()),
        ),
    )


def full_name(cls: type) -> str:
    return f"{original_name(cls.__module__)}:{cls.__qualname__}"


class Artifacts(Mapping[bytes, Artifact]):
    """The artifacts of the contracts on one chain, by digest, in the order in which their code was deployed."""

    def __init__(self, programs: Programs, codes: Mapping[bytes, bytes]) -> None:
        self._programs, self._codes = programs, codes
        self.recorded: dict[bytes, Artifact] = {}
        self._unknown: dict[bytes, None] = {}  # deployed, but the class is not declared yet
        self._seen = 0  # number of codes read so far
        self._counterparts: dict[bytes, Program] = {}
        self._known = 0  # number of programs when they were made
        self.is_copy = False  # all artifacts are copied from another ledger, none is built here

    def __getitem__(self, digest: bytes) -> Artifact:
        self._record()
        return self.recorded[digest]

    def __iter__(self) -> Iterator[bytes]:
        self._record()
        return iter(self.recorded)

    def __len__(self) -> int:
        if self._unknown or self._seen != len(self._codes):  # every step in a file asks
            self._record()
        return len(self.recorded)

    def add(self, digest: bytes, artifact: Artifact) -> None:
        """Add an artifact that was recorded elsewhere."""
        self.recorded.setdefault(digest, artifact)

    def newest(self, length: int) -> list[tuple[bytes, Artifact]]:
        """Return all artifacts after the first `length`."""
        return list(islice(self.items(), length, None)) if len(self) > length else []

    def program(self, digest: bytes) -> Program | None:
        """Return a program that decodes the history of the class with this digest; it cannot run."""
        known = len(self._programs) + len(self._programs.kept)
        if known != self._known:  # there may be classes now that stand for those that were made
            self._counterparts.clear()
            self._known = known
        if digest not in self._counterparts and digest in self:
            spec = self[digest].spec
            self._counterparts[digest] = stand_in = Program(spec, digest)
            type.__setattr__(spec.cls, DEPLOYED, stand_in)
        return self._counterparts.get(digest)

    def _record(self) -> None:
        """Record an artifact for each new code whose class is declared."""
        if self.is_copy:
            return
        new = len(self._codes) - self._seen
        if new:
            for code in list(islice(reversed(self._codes.values()), new))[::-1]:  # type: ignore[call-overload]
                digest = parse_code(code)
                if digest is not None and digest not in self.recorded:
                    self._unknown[digest] = None
            self._seen += new
        for digest in list(self._unknown):
            program = self._programs.running(digest)
            if program is not None:
                self.recorded[digest] = artifact_of(program)
                del self._unknown[digest]


# To plain data


def _describe_entry(entry: EntrySpec) -> Parts:
    returns = None if entry.returns is None else entry.returns.description
    flags = int(entry.payable), int(entry.private), int(entry.nonreentrant)
    given = tuple(value for value in entry.defaults if value is not REQUIRED)
    optional = RecordKind(entry.name, entry.params[len(entry.params) - len(given) :])
    defaults = len(given), abi.call_encoder(optional, b"")(given)
    params = described_members(entry.params)
    return entry.name, entry.kind, flags, params, returns, entry.given_name, defaults


def describe_record(record: RecordSpec) -> Parts:
    return record.name, full_name(record.cls), described_members(record.members), record.keys


def _describe_fields(fields: FieldsLayout | None) -> Parts | None:
    if fields is None:
        return None
    layouts = map(describe_layout, fields.layouts)
    return tuple(zip(fields.names, layouts, strict=True))


def _model_shape(model: ModelSpec) -> dict[str, object]:
    keys = RecordKind(model.name, model.record.key_members)
    return {
        "keys": [f"{key.name}: {key.kind.spelled}" for key in keys.members],
        "members": [spot._asdict() for spot in model_shape(model)],
    }


# From plain data


def class_of(full_name: str, base: type) -> Any:
    """Return a contract class without code."""
    module, _, name = full_name.partition(":")
    namespace = {"__module__": module, "__qualname__": name, "__slots__": ()}
    return type.__new__(ContractType, name.rpartition(".")[2], (base,), namespace)


def _entry(contract: str, described: Parts, home: str) -> EntrySpec:
    name, kind, flags, params, returns, given_name, (optional, encoded) = described
    payable, private, nonreentrant = map(bool, flags)
    members, required = members_of(params, home), len(params) - optional
    defaults = abi.members_decoder(members[required:])(encoded, 0)
    return EntrySpec(
        contract, name, kind, payable, private, nonreentrant, cannot_run, members,
        (*(REQUIRED,) * required, *defaults),
        None if returns is None else type_from_description(returns, home), given_name,
    )  # fmt: skip


def cannot_run(*_: object) -> NoReturn:
    # No docstring: it would be taken for that of the entry.
    raise TypeError("the class of this contract is not declared here, so it cannot run")


def _fields(contract: str, described: Parts | None, home: str) -> FieldsLayout | None:
    if described is None:
        return None
    layouts = [
        layout_from(f"{contract}.{name}", description, home) for name, description in described
    ]
    return FieldsLayout([name for name, _ in described], layouts)


def _imported(mark: str, described: Parts) -> Any:
    """Return the spec of the imported class of an event, error or model with this description; None if there is none."""
    for cls in classes_named(described[0], described[1].partition(":")[0]):
        spec = vars(cls).get(mark)
        if spec is not None and describe_record(spec.record) == described:
            return spec
    return None


def _record(described: Parts) -> RecordSpec:
    name, full_name, pairs, keys = described
    cls = make_dataclass(name, [member for member, _ in pairs], frozen=True)
    cls.__module__, _, cls.__qualname__ = full_name.partition(":")
    return RecordSpec(cls, members_of(pairs, cls.__module__), keys, Source("", 0))


def _event(described: Parts) -> EventSpec:
    spec: EventSpec = _imported("__event__", described) or _made("__event__", EventSpec, described)
    return spec


def _model(described: Parts) -> ModelSpec:
    spec: ModelSpec = _imported("__model__", described) or _made("__model__", ModelSpec, described)
    return spec


def _error(described: Parts) -> ErrorSpec:
    spec: ErrorSpec = _imported("__error__", described) or _made("__error__", ErrorSpec, described)
    return spec


@cache
def _made(mark: str, make: Callable[[RecordSpec], Any], described: Parts) -> Any:
    """Return the spec of a class that is made from its description, once."""
    spec = make(_record(described))
    setattr(spec.record.cls, mark, spec)
    return spec
