"""Descriptions of contract classes: entries by selector, storage, events and errors, and the ABI.

`chain.spec.class_reader` makes a description once, when Python creates the class.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from operator import attrgetter
from types import FunctionType
from typing import Any, Final

from chain import abi
from chain.foundation.dataclass import dataclass
from chain.source.location import Source
from chain.spec.invocation import Invoke, invoker
from chain.spec.models import ModelSpec
from chain.spec.overloads import signatures
from chain.spec.records import ErrorSpec, EventSpec
from chain.spec.references import References, references_of
from chain.spec.upgrade_entry import SIGNATURE, upgrade
from chain.storage.fields import FieldsLayout
from chain.values import Field, FixedBytes, StructType, ValueType, short_repr
from chain.values.inputs import Resolver, with_addresses

# The options of a call from outside, in addition to the arguments.
CALL_OPTIONS = frozenset({"sender", "value", "gas", "check"})
REQUIRED = object()  # takes the place of a default that does not exist


@dataclass(frozen=True, eq=False)
class EntrySpec:
    """One entry: who may call it, and how its arguments and its result are encoded."""

    contract: str
    name: str
    kind: str
    payable: bool
    private: bool
    nonreentrant: bool
    function: Callable[..., Any]
    params: tuple[Field, ...]
    defaults: tuple[object, ...]  # for each parameter its default, or `REQUIRED`
    returns: ValueType | None
    given_name: str | None = None  # `@call(name=…)`; `name` is that of the method, which is unique
    method: str = (
        ""  # of the class, looked up at each call; without it, `function` takes the contract
    )

    @property
    def is_view(self) -> bool:
        return self.kind == "view"

    @property
    def abi_name(self) -> str:
        """The name in the ABI, which several entries may share."""
        return self.given_name or self.name

    @cached_property
    def signature(self) -> str:
        return abi.signature(self.abi_name, self.params)

    @cached_property
    def selector(self) -> bytes:
        return b"" if self.kind == "init" else abi.selector(self.signature)

    @cached_property
    def value_is_argument(self) -> bool:
        """True if `value=` in a call is an argument, not an amount of wei."""
        return not self.payable and any(member.name == "value" for member in self.params)

    @cached_property
    def _encode_call(self) -> Callable[[tuple[object, ...]], bytes]:
        return abi.call_encoder(StructType(self.name, self.params), self.selector)

    @cached_property
    def _encode_unchecked_ints(self) -> Callable[[object], bytes]:
        return abi.widened(StructType(self.name, self.params)).encode

    @cached_property
    def _decode_params(self) -> Callable[[bytes, int], tuple[object, ...]]:
        return abi.members_decoder(self.params)

    @cached_property
    def _result(self) -> StructType | None:
        return StructType(self.name, (Field("result", self.returns),)) if self.returns else None

    def encode_args(
        self, args: tuple[object, ...], named: dict[str, object], chain: Resolver | None = None
    ) -> bytes:
        """Return the calldata: the selector and the arguments. A wrong count, name or type is a TypeError, as for any function.

        A whole number that is merely out of range is encoded as it is, because refusing it is the contract's task. Outside of
        contracts, `chain` resolves values that stand for an account to its address.
        """
        if named or len(args) != len(self.params):
            args = self._bind(args, named)
        try:
            return self._encode_call(args)
        except abi.ValueMismatch as error:
            mismatch = error
        if chain is not None:
            args = tuple(
                with_addresses(param.kind, value, f"{self.name}: {param.name}", chain.address_of)
                for param, value in zip(self.params, args, strict=True)
            )
        try:
            return self.selector + self._encode_unchecked_ints(args)
        except abi.ValueMismatch:
            raise TypeError(f"{self.name}: {mismatch.text}") from None

    def takes(self, args: tuple[object, ...], named: Mapping[str, object]) -> bool:
        """Return True if these arguments fit, each in the range of its type."""
        try:
            self._encode_call(self._bind(args, dict(named)))
        except (TypeError, abi.ValueMismatch):
            return False
        return True

    def _bind(self, args: tuple[object, ...], named: dict[str, object]) -> tuple[object, ...]:
        """Return all arguments in order, with defaults where none is given."""
        names = [member.name for member in self.params]
        expected = f"it takes ({', '.join(names)})"
        if len(args) > len(names):
            raise TypeError(f"{self.name} got {len(args)} arguments; {expected}")
        arguments = dict(zip(names, args, strict=False))
        for name, value in named.items():
            if name not in names:
                raise TypeError(f"{self.name} has no argument '{name}'; {expected}")
            if name in arguments:
                raise TypeError(f"{self.name} got '{name}' twice; {expected}")
            arguments[name] = value
        for name, default in zip(names, self.defaults, strict=True):
            if arguments.setdefault(name, default) is REQUIRED:
                hint = " (the keyword is an option of calls: pass it by position)"
                raise TypeError(
                    f"{self.name} needs '{name}'{hint if name in CALL_OPTIONS else ''}; {expected}"
                )
        return tuple(arguments[name] for name in names)

    def decode_args(self, data: bytes) -> tuple[object, ...]:
        try:
            return self._decode_params(data, len(self.selector))
        except abi.BadData as error:
            raise abi.BadData(f"{self.name}: {error.text}") from None

    @cached_property
    def invoke(self) -> Invoke:
        """The function that runs the author's method on a contract, with the arguments in calldata.

        It returns the result and its encoding.
        """
        decode, start = self._decode_params, len(self.selector)
        find = attrgetter(self.method) if self.method else partial(partial, self.function)
        return invoker(self.name, find, self.encode_result, decode, start)

    def name_args(self, data: bytes) -> dict[str, object]:
        """Return the arguments by name, or an empty dict if they cannot be decoded."""
        try:
            return dict(
                zip((member.name for member in self.params), self.decode_args(data), strict=True)
            )
        except abi.BadData:
            return {}

    @cached_property
    def encode_result(self) -> Callable[[object], bytes]:
        """The function that encodes the result."""
        if self._result is None:
            return self._encode_nothing
        encode = abi.prefixing(self._result.encode, self.name)
        return lambda result: encode((result,))

    def _encode_nothing(self, value: object) -> bytes:
        if value is not None:
            raise abi.ValueMismatch(
                f"{self.name}.result",
                f"{short_repr(value)} is not None, and the entry has no other return type: write '-> …'",
            )
        return b""

    @cached_property
    def _is_remade(self) -> bool:
        kind = self.returns
        return kind is not None and (kind.has_author_class or kind.is_changeable)

    def author_result(self, result: object, output: bytes) -> Any:
        """Return the result for a caller outside of contracts: one that the contract does not hold, too."""
        return self.decode_result(output) if self._is_remade else result

    def decode_result(self, data: bytes) -> object:
        return abi.decode_members(self._result.members, data)[0] if self._result else None

    def json(self) -> dict[str, Any]:
        """Return the entry of the JSON ABI."""
        inputs = [abi.json_type(member.name, member.kind) for member in self.params]
        if self.kind == "init":
            return {"type": "constructor", "inputs": inputs, "stateMutability": self._mutability()}
        outputs = [abi.json_type("", self.returns)] if self.returns else []
        return {
            "type": "function",
            "name": self.abi_name,
            "inputs": inputs,
            "outputs": outputs,
            "stateMutability": self._mutability(),
        }

    def _mutability(self) -> str:
        return "view" if self.is_view else "payable" if self.payable else "nonpayable"


class _Reserved(EntrySpec):
    """An entry that every contract has and no ABI lists."""

    @cached_property
    def signature(self) -> str:
        return SIGNATURE


# The entry checks the value itself, so that its message is the same where the class of the contract is not known.
UPGRADE: Final = _Reserved(
    contract="Contract",
    name="upgrade",
    kind="call",
    payable=True,
    private=False,
    nonreentrant=True,
    function=upgrade,
    params=(Field("digest", FixedBytes("bytes32", 32)),),
    defaults=(REQUIRED,),
    returns=None,
)


@dataclass(frozen=True, eq=False)
class ContractSpec:
    """The description of a contract class."""

    cls: type
    entries: dict[str, EntrySpec]
    init: EntrySpec | None
    fields: FieldsLayout | None
    functions: list[FunctionType]
    setup: EntrySpec | None = None  # the @init of a System, which is one of its entries
    source: Source | None = None  # the statement that created the class

    @property
    def name(self) -> str:
        return self.cls.__name__

    @cached_property
    def references(self) -> References:
        """The events, errors and models that the code mentions.

        They are read on first use, when functions that are defined below the class exist.
        """
        return references_of(self.cls, self.functions)

    @property
    def events(self) -> dict[str, EventSpec]:
        return self.references.events

    @property
    def errors(self) -> dict[str, ErrorSpec]:
        return self.references.errors

    @property
    def models(self) -> dict[str, ModelSpec]:
        return self.references.models

    @cached_property
    def by_selector(self) -> dict[bytes, EntrySpec]:
        return {entry.selector: entry for entry in (UPGRADE, *self.entries.values())}

    @cached_property
    def receive(self) -> EntrySpec | None:
        """The entry that takes wei without calldata."""
        entry = self.entries.get("receive")
        return entry if entry is not None and entry.payable and not entry.params else None

    def entry_for(self, data: bytes, *, creates: bool) -> EntrySpec | None:
        """Return the entry that runs for this calldata; `creates` if it deploys the contract."""
        if creates:
            return self.init
        return self.by_selector.get(data[:4]) if data else self.receive

    @cached_property
    def _called(self) -> dict[str, tuple[EntrySpec, ...]]:
        """The entries by name of a method, by name in the ABI, and by signature."""
        shared: dict[str, tuple[EntrySpec, ...]] = {}
        for entry in self.entries.values():
            shared[entry.abi_name] = (*shared.get(entry.abi_name, ()), entry)
        exact = {entry.signature: (entry,) for entry in self.entries.values()}
        return {name: (entry,) for name, entry in self.entries.items()} | shared | exact

    @cached_property
    def unshared(self) -> dict[str, EntrySpec]:
        """The entries whose method names refer to no other entry."""
        return {name: entry for name, entry in self.entries.items() if len(self.named(name)) == 1}

    def named(self, name: str) -> tuple[EntrySpec, ...]:
        """Return the entries with this method name, name in the ABI, or signature; usually there is one."""
        return self._called.get(name, ())

    def resolve(self, name: str) -> tuple[EntrySpec, ...]:
        """Return the same entries, except that a method name refers to that method only, even if the ABI name is shared."""
        return (self.entries[name],) if name in self.entries else self.named(name)

    def exactly(self, name: str) -> EntrySpec:
        """Return the only entry with this method name, signature, or name in the ABI."""
        entries = self.resolve(name)
        if len(entries) == 1:
            return entries[0]
        if entries:
            raise LookupError(
                f"{self.name} has {len(entries)} entries '{name}': choose one, {signatures(entries)}"
            )
        raise LookupError(self.no_entry(name))

    def no_entry(self, name: str) -> str:
        """Describe why nothing called `name` can be called."""
        if self.init is not None and self.init.name == name:
            return f"{self.name}.{name} is the @init: it runs once, when the contract is deployed"
        if any(name in vars(parent) for parent in self._authored):
            member = inspect.getattr_static(self.cls, name)
            if isinstance(member, FunctionType) and not name.startswith("_"):
                return f"{self.name}.{name} has no decorator: mark it with @call or @view"
            if self.fields is not None and name in self.fields.names:
                return (
                    f"{self.name}.{name} is a field, not an entry: tests read it with handle.fields.{name}, "
                    "other contracts need a @view that returns it"
                )
        names = ", ".join(self.entries) or "none"
        return f"{self.name} has no entry '{name}'; it has {names}"

    @property
    def _authored(self) -> Iterator[type]:
        """The class and its parents, except those of the chain."""
        return (cls for cls in self.cls.__mro__ if cls.__module__.partition(".")[0] != "chain")

    @cached_property
    def errors_by_selector(self) -> dict[bytes, ErrorSpec]:
        return {error.selector: error for error in self.errors.values()}

    @cached_property
    def abi(self) -> list[dict[str, Any]]:
        """The JSON ABI, as every Ethereum tool reads it."""
        constructor = (
            self.init.json()
            if self.init
            else {"type": "constructor", "inputs": [], "stateMutability": "nonpayable"}
        )
        receive = [{"type": "receive", "stateMutability": "payable"}] if self.receive else []
        records: list[EventSpec | ErrorSpec] = [*self.events.values(), *self.errors.values()]
        return [
            constructor,
            *(e.json() for e in self.entries.values()),
            *receive,
            *(r.json() for r in records),
        ]
