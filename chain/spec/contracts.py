"""What a contract class means: its entries by selector, its storage, its events and errors, its ABI.

`chain.spec.class_reader` makes these descriptions from a class, once, when Python creates it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType
from typing import Any, Final

from chain import abi
from chain.schema.inputs import (
    Resolver,
    with_addresses,
)
from chain.schema.validation import short_repr
from chain.schema.value_types import (
    Field,
    StructType,
    ValueType,
    contains_author_classes,
)
from chain.source.location import Source
from chain.spec.models import ModelSpec
from chain.spec.overloads import signatures
from chain.spec.records import (
    ErrorSpec,
    EventSpec,
)
from chain.spec.references import (
    References,
    references_of,
)
from chain.spec.upgrade_entry import (
    SIGNATURE,
    upgrade,
)
from chain.storage.frozen_list import plain
from chain.storage.layout import FieldsLayout
from chain.types import FixedBytes

CALL_OPTIONS = frozenset(
    {"sender", "value", "gas", "check"}
)  # what a call from outside says beside its arguments
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
    params: tuple[Field, ...]
    defaults: tuple[Any, ...]  # for each parameter its default, or `REQUIRED`
    returns: ValueType | None
    given_name: str | None = None  # `@call(name=…)`; `name` is the method's, of which there is one

    @property
    def is_view(self) -> bool:
        return self.kind == "view"

    @property
    def abi_name(self) -> str:
        """What it is called in the ABI, where several entries may have one name."""
        return self.given_name or self.name

    @cached_property
    def signature(self) -> str:
        return abi.signature(self.abi_name, self.params)

    @cached_property
    def selector(self) -> bytes:
        return b"" if self.kind == "init" else abi.selector(self.signature)

    @cached_property
    def value_is_argument(self) -> bool:
        """Whether `value=` in a call of it is an argument, not wei."""
        return not self.payable and any(member.name == "value" for member in self.params)

    @cached_property
    def _encode_params(self) -> Callable[[Any], bytes]:
        return (
            abi.encoder(StructType(self.name, self.params)) if self.params else lambda values: b""
        )

    @cached_property
    def _encode_unchecked_ints(self) -> Callable[[Any], bytes]:
        return abi.encoder(abi.widened(StructType(self.name, self.params)))

    @cached_property
    def _decode_params(self) -> Callable[[bytes, int], tuple[Any, ...]]:
        return abi.members_decoder(self.params)

    @cached_property
    def _result(self) -> StructType | None:
        return StructType(self.name, (Field("result", self.returns),)) if self.returns else None

    def encode_args(
        self, args: tuple[Any, ...], named: dict[str, Any], chain: Resolver | None = None
    ) -> bytes:
        """Calldata: the selector and the arguments. A wrong count, name or type is a TypeError, as for any function.

        A whole number that is merely out of range is written down as it is: to refuse it is the contract's part. Outside of
        contracts `chain` knows the address of what stands for an account.
        """
        if named or len(args) != len(self.params):
            args = self._bind(args, named)
        try:
            return self.selector + self._encode_params(args)
        except abi.ValueMismatch as wrong:
            refused = wrong
        if chain is not None:
            args = tuple(
                with_addresses(param.kind, value, f"{self.name}: {param.name}", chain.address_of)
                for param, value in zip(self.params, args, strict=True)
            )
        try:
            return self.selector + self._encode_unchecked_ints(args)
        except abi.ValueMismatch:
            raise TypeError(f"{self.name}: {refused.text}") from None

    def takes(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
        """Whether these arguments fit, each in the range of its type."""
        try:
            self._encode_params(self._bind(args, dict(named)))
        except (TypeError, abi.ValueMismatch):
            return False
        return True

    def _bind(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        names = [member.name for member in self.params]
        takes = f"it takes ({', '.join(names)})"
        if len(args) > len(names):
            raise TypeError(f"{self.name} was given {len(args)} arguments; {takes}")
        given = dict(zip(names, args, strict=False))
        for name, value in named.items():
            if name not in names:
                raise TypeError(f"{self.name} has no argument '{name}'; {takes}")
            if name in given:
                raise TypeError(f"{self.name} was given '{name}' twice; {takes}")
            given[name] = value
        for name, default in zip(names, self.defaults, strict=True):
            if given.setdefault(name, default) is REQUIRED:
                owned = " (a call has its own: give the argument by position)"
                raise TypeError(
                    f"{self.name} needs '{name}'{owned if name in CALL_OPTIONS else ''}; {takes}"
                )
        return tuple(given[name] for name in names)

    def decode_args(self, data: bytes) -> tuple[Any, ...]:
        try:
            return self._decode_params(data, len(self.selector))
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
            except abi.ValueMismatch as wrong:
                raise wrong.prefixed(self.name) from None

        return encode_result

    def _encode_nothing(self, value: Any) -> bytes:
        if value is not None:
            raise abi.ValueMismatch(
                f"{self.name}.result", f"{short_repr(value)} is not None, as is declared"
            )
        return b""

    @cached_property
    def _has_classes(self) -> bool:
        return self.returns is not None and contains_author_classes(self.returns)

    @cached_property
    def _plain(self) -> Callable[[Any], Any] | None:
        return plain(self.returns) if self.returns is not None else None

    def author_result(self, result: Any, output: bytes) -> Any:
        """What came back, for who looks from outside: of classes that an image has twins of, the author's; lists are plain."""
        if self._has_classes:
            return self.decode_result(output)
        return self._plain(result) if self._plain is not None else result

    def decode_result(self, data: bytes) -> Any:
        return abi.decode_members(self._result.members, data)[0] if self._result else None

    def json(self) -> dict[str, Any]:
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
    """An entry that every contract has, and no ABI lists."""

    @cached_property
    def signature(self) -> str:
        return SIGNATURE


# It checks the value itself, so that its words are the same where the class of the contract is not known.
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
    """A contract class, read."""

    cls: type
    entries: dict[str, EntrySpec]
    init: EntrySpec | None
    fields: FieldsLayout | None
    functions: list[FunctionType]
    setup: EntrySpec | None = None  # a System's @init, which is one of its entries
    source: Source | None = None  # the statement that made the class

    @property
    def name(self) -> str:
        return self.cls.__name__

    @cached_property
    def references(self) -> References:
        """Read anew when first asked for: functions that stand below the class are there by then."""
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
    def _called(self) -> dict[str, tuple[EntrySpec, ...]]:
        shared: dict[str, tuple[EntrySpec, ...]] = {}
        for entry in self.entries.values():
            shared[entry.abi_name] = (*shared.get(entry.abi_name, ()), entry)
        exact = {entry.signature: (entry,) for entry in self.entries.values()}
        return {name: (entry,) for name, entry in self.entries.items()} | shared | exact

    @cached_property
    def unshared(self) -> dict[str, EntrySpec]:
        """The entries that are alone meant by the names of their methods."""
        return {name: entry for name, entry in self.entries.items() if len(self.named(name)) == 1}

    def named(self, name: str) -> tuple[EntrySpec, ...]:
        """The entries that are meant by a method's name, a name in the ABI, or a signature; most often one."""
        return self._called.get(name, ())

    def meant(self, name: str) -> tuple[EntrySpec, ...]:
        """The same, but that a method's name is that one method, though others share it in the ABI."""
        return (self.entries[name],) if name in self.entries else self.named(name)

    def exactly(self, name: str) -> EntrySpec:
        """The one entry of a method's name, of a signature, or of a name in the ABI that no other has."""
        found = self.meant(name)
        if len(found) == 1:
            return found[0]
        if found:
            raise LookupError(
                f"{self.name} has {len(found)} entries '{name}': say which, {signatures(found)}"
            )
        raise LookupError(self.no_entry(name))

    def no_entry(self, name: str) -> str:
        """Why nothing called `name` can be called."""
        if self.init is not None and self.init.name == name:
            return f"{self.name}.{name} is the @init: it runs once, when the contract is deployed"
        if any(name in vars(parent) for parent in self._authored):
            member = inspect.getattr_static(self.cls, name)
            if isinstance(member, FunctionType) and not name.startswith("_"):
                return f"{self.name}.{name} has no decorator: mark it with @call or @view"
            if self.fields is not None and name in self.fields.names:
                return f"{self.name}.{name} is a field, not an entry: read it with handle.fields.{name}"
        there = ", ".join(self.entries) or "none"
        return f"{self.name} has no entry '{name}'; it has {there}"

    @property
    def _authored(self) -> Iterator[type]:
        """The class and its parents, without those of the chain."""
        return (each for each in self.cls.__mro__ if each.__module__.partition(".")[0] != "chain")

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
