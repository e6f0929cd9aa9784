"""What a contract class means: its entries by selector, its storage, its events and errors, its ABI.

`contract_spec` reads a class once, when Python creates it, and says everything that is wrong with it then: file, line,
what is wrong, what to write instead.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import FrameType, FunctionType
from typing import Any

from chain import abi
from chain.errors import DeclarationError
from chain.fields import field_layout
from chain.kinds import Kind, Member, Record, UnknownKind, kind_of
from chain.layout import Layout, Members
from chain.mentions import Mentions, functions_in, mentions_of
from chain.models import ModelSpec
from chain.records import ErrorSpec, EventSpec, RecordSpec, resolve
from chain.where import line_of, line_of_field

REQUIRED = object()  # in the place of a default: there is none


@dataclass(frozen=True, eq=False)
class EntrySpec:
    """One entry: who may call it, and how its arguments and its result look to the outside."""

    contract: str
    name: str
    kind: str
    payable: bool
    private: bool
    nonreentrant: bool
    function: Callable[..., Any]
    params: tuple[Member, ...]
    defaults: tuple[Any, ...]  # for each parameter its default, or `REQUIRED`
    returns: Kind | None

    @property
    def is_view(self) -> bool:
        return self.kind == "view"

    @cached_property
    def signature(self) -> str:
        return abi.signature(self.name, self.params)

    @cached_property
    def selector(self) -> bytes:
        return b"" if self.kind == "init" else abi.selector(self.signature)

    @cached_property
    def _encode_params(self) -> Callable[[Any], bytes]:
        return abi.encoder(Record(self.name, self.params)) if self.params else lambda values: b""

    @cached_property
    def _result(self) -> Record | None:
        return Record(self.name, (Member("result", self.returns),)) if self.returns else None

    def encode_args(self, args: tuple[Any, ...], named: dict[str, Any]) -> bytes:
        """Calldata: the selector and the arguments. A wrong count or name is a TypeError, as for any function."""
        if named or len(args) != len(self.params):
            args = self._bind(args, named)
        try:
            return self.selector + self._encode_params(args)
        except abi.Misfit as wrong:
            raise TypeError(f"{self.name}: {wrong.text}") from None

    def _bind(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        names = [member.name for member in self.params]
        if len(args) > len(names):
            raise TypeError(f"{self.name} takes {len(names)} arguments, {len(args)} were given")
        given = dict(zip(names, args, strict=False))
        for name, value in named.items():
            if name not in names or name in given:
                wrong = "twice" if name in given else f"; it takes {', '.join(names) or 'none'}"
                raise TypeError(
                    f"{self.name} was given '{name}'{' ' if name in given else ''}{wrong}"
                )
            given[name] = value
        for name, default in zip(names, self.defaults, strict=True):
            if given.setdefault(name, default) is REQUIRED:
                raise TypeError(f"{self.name} needs '{name}'")
        return tuple(given[name] for name in names)

    def decode_args(self, data: bytes) -> list[Any]:
        try:
            return abi.decode_members(self.params, data, len(self.selector))
        except abi.BadData as bad:
            raise abi.BadData(f"{self.name}: {bad.text}") from None

    def name_args(self, data: bytes) -> dict[str, Any]:
        """The arguments by name; empty where they cannot be read."""
        try:
            return dict(
                zip((member.name for member in self.params), self.decode_args(data), strict=True)
            )
        except abi.BadData:
            return {}

    @cached_property
    def encode_result(self) -> Callable[[Any], bytes]:
        if self._result is None:
            return self._encode_nothing
        encode = abi.encoder(self._result)

        def encode_result(value: Any) -> bytes:
            try:
                return encode((value,))
            except abi.Misfit as wrong:
                raise wrong.under(self.name) from None

        return encode_result

    def _encode_nothing(self, value: Any) -> bytes:
        if value is not None:
            raise abi.Misfit(f"{self.name}.result", f"{value!r} is not None, which is declared")
        return b""

    def decode_result(self, data: bytes) -> Any:
        return abi.decode_members(self._result.members, data)[0] if self._result else None

    def json(self) -> dict[str, Any]:
        inputs = [abi.json_type(member.name, member.kind) for member in self.params]
        if self.kind == "init":
            return {"type": "constructor", "inputs": inputs, "stateMutability": self._mutability()}
        outputs = [abi.json_type("", self.returns)] if self.returns else []
        return {
            "type": "function",
            "name": self.name,
            "inputs": inputs,
            "outputs": outputs,
            "stateMutability": self._mutability(),
        }

    def _mutability(self) -> str:
        return "view" if self.is_view else "payable" if self.payable else "nonpayable"


@dataclass(frozen=True, eq=False)
class ContractSpec:
    """A contract class, read."""

    cls: type
    entries: dict[str, EntrySpec]
    init: EntrySpec | None
    fields: Members | None
    functions: list[FunctionType]
    setup: EntrySpec | None = None  # a System's @init, which is one of its entries

    @property
    def name(self) -> str:
        return self.cls.__name__

    @cached_property
    def mentions(self) -> Mentions:
        """Read anew when first asked for: functions that stand below the class are there by then."""
        return mentions_of(self.cls, self.functions)

    @property
    def events(self) -> dict[str, EventSpec]:
        return self.mentions.events

    @property
    def errors(self) -> dict[str, ErrorSpec]:
        return self.mentions.errors

    @property
    def models(self) -> dict[str, ModelSpec]:
        return self.mentions.models

    @cached_property
    def by_selector(self) -> dict[bytes, EntrySpec]:
        return {entry.selector: entry for entry in self.entries.values()}

    @cached_property
    def errors_by_selector(self) -> dict[bytes, ErrorSpec]:
        return {error.selector: error for error in self.errors.values()}

    @cached_property
    def abi(self) -> list[dict[str, Any]]:
        """The JSON ABI, as any Ethereum tool reads it."""
        constructor = (
            self.init.json()
            if self.init
            else {"type": "constructor", "inputs": [], "stateMutability": "nonpayable"}
        )
        records: list[EventSpec | ErrorSpec] = [*self.events.values(), *self.errors.values()]
        return [
            constructor,
            *(e.json() for e in self.entries.values()),
            *(r.json() for r in records),
        ]


def contract_spec(cls: type, base: type, frame: FrameType) -> ContractSpec:
    """Read contract class `cls`, which derives from `base` (Contract or System), or say what is wrong with it."""
    if "__init__" in cls.__dict__:
        raise DeclarationError(
            f"{line_of(vars(cls)['__init__'])}: {cls.__name__}.__init__ never runs on a chain; mark a method with @init"
        )
    found = {
        name: value for parent in reversed(cls.__mro__) for name, value in vars(parent).items()
    }
    entries = [
        _entry_spec(cls, base, name, value, frame)
        for name, value in found.items()
        if _is_entry(cls, name, value)
    ]
    inits = [entry for entry in entries if entry.kind == "init"]
    if len(inits) > 1:
        second = inits[1]
        raise DeclarationError(
            f"{line_of(second.function)}: {cls.__name__} has two @init methods, {inits[0].name} and {second.name}; keep one"
        )
    functions = functions_in(found.values())
    mentions_of(cls, functions)
    return ContractSpec(
        cls,
        {entry.name: entry for entry in entries if entry.kind != "init"},
        inits[0] if inits else None,
        _storage(cls, base, frame),
        functions,
    )


def _is_entry(cls: type, name: str, value: Any) -> bool:
    if isinstance(value, staticmethod | classmethod) and hasattr(value, "__entry__"):
        raise DeclarationError(
            f"{line_of(value.__func__)}: {cls.__name__}.{name} must take 'self'; take the @{type(value).__name__} away"
        )
    return hasattr(value, "__entry__")


def _entry_spec(
    cls: type, base: type, name: str, function: FunctionType, frame: FrameType
) -> EntrySpec:
    here = f"{line_of(function)}: {cls.__name__}.{name}"
    if name.startswith("_"):
        raise DeclarationError(
            f"{here}: an entry is public; give it a name without the leading '_'"
        )
    if hasattr(base, name):
        raise DeclarationError(
            f"{here}: every {base.__name__} has its own '{name}'; choose another name"
        )
    hints, entry = resolve(function, frame), function.__entry__  # type: ignore[attr-defined]
    params, defaults = [], []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
            raise DeclarationError(
                f"{here}: '{parameter}' cannot be sent to a contract; name each argument on its own"
            )
        if parameter.name not in hints:
            raise DeclarationError(
                f"{here}: argument '{parameter.name}' has no type; write '{parameter.name}: u64' or the like"
            )
        params.append(
            Member(
                parameter.name, _kind(f"{here}: argument '{parameter.name}'", hints[parameter.name])
            )
        )
        defaults.append(_default(here, params[-1], parameter))
    if "return" not in hints:
        raise DeclarationError(f"{here} has no return type; write '-> None' or the type")
    returns = (
        None
        if hints["return"] is type(None)
        else _kind(f"{here}: what it returns", hints["return"])
    )
    if returns is not None and entry.kind == "init":
        raise DeclarationError(f"{here}: @init returns nothing; write '-> None'")
    return EntrySpec(
        cls.__name__, name, entry.kind, entry.payable, entry.private, entry.nonreentrant,
        function, tuple(params), tuple(defaults), returns,
    )  # fmt: skip


def _kind(here: str, hint: Any) -> Kind:
    try:
        return kind_of(hint)
    except UnknownKind as unknown:
        raise DeclarationError(f"{here}: {unknown}") from None


def _default(here: str, member: Member, parameter: inspect.Parameter) -> Any:
    if parameter.default is parameter.empty:
        return REQUIRED
    try:
        abi.encoder(member.kind)(parameter.default)
    except abi.Misfit as wrong:
        raise DeclarationError(f"{here}: the default of '{member.name}': {wrong.text}") from None
    return parameter.default


def _storage(cls: type, base: type, frame: FrameType) -> Members | None:
    """The fields of the class and its parents, in order, from slot 0 on; installs a property for each."""
    names: list[str] = []
    layouts: list[Layout] = []
    for parent in [p for p in reversed(cls.__mro__) if issubclass(p, base) and p is not base]:
        own = vars(parent).get("__annotations__", {})
        hints = resolve(parent, frame) if own else {}
        for name in own:
            names.append(name)
            layouts.append(_field(cls, base, parent, name, hints[name]))
    if not names:
        return None
    fields = Members(names, layouts)
    for index, name in enumerate(names):
        setattr(cls, name, _property(cls.__name__, name, fields, index))
    return fields


def _field(cls: type, base: type, parent: type, name: str, hint: Any) -> Layout:
    here = f"{cls.__name__}.{name}"
    if hasattr(base, name):
        raise DeclarationError(
            f"{line_of_field(parent, name)}: {here}: every {base.__name__} has its own '{name}'; choose another name"
        )
    if name in vars(parent) and not isinstance(vars(parent)[name], property):
        raise DeclarationError(
            f"{line_of_field(parent, name)}: {here}: a field starts as zero; set another first value in @init"
        )
    try:
        return field_layout(hint)
    except UnknownKind as unknown:
        raise DeclarationError(f"{line_of_field(parent, name)}: {here}: {unknown}") from None


def _property(owner: str, name: str, fields: Members, index: int) -> property:
    """How a contract's method reads and writes the field: straight through its frame."""
    load, store = fields.access(index)

    def get(contract: Any) -> Any:
        return load(contract._frame, 0)

    def put(contract: Any, value: Any) -> None:
        try:
            store(contract._frame, 0, value)
        except abi.Misfit as wrong:
            raise wrong.under(f"{owner}.{name}") from None

    return property(get, put)


def record_of(cls: type) -> RecordSpec:
    """The description of an event, error or model class."""
    for mark in ("__event__", "__error__", "__model__"):
        if mark in vars(cls):
            record: RecordSpec = vars(cls)[mark].record
            return record
    raise TypeError(
        f"{cls.__name__} is no event, error or model: mark it with @event, @error or @model"
    )
