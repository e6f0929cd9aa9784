"""What a contract class means: its entries by selector, its storage, its events and errors, its ABI.

`chain.reading` makes these descriptions from a class, once, when Python creates it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType
from typing import Any

from chain import abi
from chain.fit import short
from chain.inputs import Resolver, with_addresses
from chain.kinds import Kind, Member, Record, holds_classes
from chain.layout import Members
from chain.mentions import Mentions, mentions_of
from chain.models import ModelSpec
from chain.records import ErrorSpec, EventSpec

CALL_WORDS = frozenset(
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
    def owns_value(self) -> bool:
        """Whether `value=` in a call of it is an argument, not wei."""
        return not self.payable and any(member.name == "value" for member in self.params)

    @cached_property
    def _encode_params(self) -> Callable[[Any], bytes]:
        return abi.encoder(Record(self.name, self.params)) if self.params else lambda values: b""

    @cached_property
    def _encode_anyhow(self) -> Callable[[Any], bytes]:
        return abi.encoder(abi.widened(Record(self.name, self.params)))

    @cached_property
    def _decode_params(self) -> Callable[[bytes, int], tuple[Any, ...]]:
        return abi.members_decoder(self.params)

    @cached_property
    def _result(self) -> Record | None:
        return Record(self.name, (Member("result", self.returns),)) if self.returns else None

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
        except abi.Misfit as wrong:
            refused = wrong
        if chain is not None:
            args = tuple(
                with_addresses(param.kind, value, f"{self.name}: {param.name}", chain.address_of)
                for param, value in zip(self.params, args, strict=True)
            )
        try:
            return self.selector + self._encode_anyhow(args)
        except abi.Misfit:
            raise TypeError(f"{self.name}: {refused.text}") from None

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
                    f"{self.name} needs '{name}'{owned if name in CALL_WORDS else ''}; {takes}"
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
            except abi.Misfit as wrong:
                raise wrong.under(self.name) from None

        return encode_result

    def _encode_nothing(self, value: Any) -> bytes:
        if value is not None:
            raise abi.Misfit(f"{self.name}.result", f"{short(value)} is not None, as is declared")
        return b""

    @cached_property
    def _has_classes(self) -> bool:
        return self.returns is not None and holds_classes(self.returns)

    def seen(self, result: Any, output: bytes) -> Any:
        """What came back, for who looks from outside: of classes that an image has twins of, the author's."""
        return self.decode_result(output) if self._has_classes else result

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
