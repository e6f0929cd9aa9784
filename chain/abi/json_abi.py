"""Contracts that are known only by their JSON ABI: their functions and events, in value types of the chain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, Final, NoReturn, TypeAlias

from chain import abi
from chain.crypto.hashing import keccak
from chain.foundation.dataclass import dataclass
from chain.values import (
    AddressType,
    BoolType,
    BytesType,
    Field,
    FixedBytes,
    Int,
    ListType,
    Scalar,
    StringType,
    StructType,
    ValueType,
    short_repr,
)

JsonObject: TypeAlias = dict[str, Any]

_MOST_ITEMS: Final = 1 << 16  # of a fixed array; the next ones would only fill the memory
_PLAIN: dict[str, ValueType] = {
    "bool": BoolType(),
    "address": AddressType(),
    "string": StringType(),
    "bytes": BytesType(),
    "function": FixedBytes("function", 24),
}


def type_from_json(parameter: JsonObject) -> ValueType:
    """Return the value type of one parameter of a JSON ABI. Tuples and fixed arrays become plain tuples."""
    abi_type: str = parameter["type"]
    array = re.fullmatch(r"(.*)\[(\d*)\]", abi_type)
    if array:
        item = type_from_json({**parameter, "type": array[1]})
        if not array[2]:
            return ListType(item)
        count = int(array[2])
        if count > _MOST_ITEMS:
            _unknown(abi_type)
        members = tuple(Field(str(i), item) for i in range(count))
        return StructType(abi_type, members, array=True) if members else _unknown(abi_type)
    if abi_type == "tuple":
        parts = fields_from_json(parameter.get("components", []))
        return StructType("tuple", parts) if parts else _unknown("tuple()")
    return _PLAIN[abi_type] if abi_type in _PLAIN else _sized(abi_type)


def _sized(written: str) -> ValueType:
    """Return the type whose name has its size, such as `uint8`. A number without a size has 256 bits."""
    match = re.fullmatch(r"(u?int|bytes)([1-9]\d*)?", written)
    name, size = (match[1], int(match[2] or 256)) if match else ("", 0)
    if name == "bytes" and size <= 32:
        return FixedBytes(written, size)
    if name in ("int", "uint") and size <= 256 and size % 8 == 0:
        return Int.sized(written, size, signed=name == "int")
    return _unknown(written)


def _unknown(written: str) -> NoReturn:
    raise TypeError(f"the ABI type '{written}' is not known here")


def fields_from_json(parameters: list[JsonObject]) -> tuple[Field, ...]:
    return tuple(
        Field(parameter.get("name") or str(i), type_from_json(parameter))
        for i, parameter in enumerate(parameters)
    )


@dataclass(frozen=True, eq=False)
class AbiFunction:
    """A function of a foreign contract."""

    name: str
    is_view: bool
    params: tuple[Field, ...]
    outputs: tuple[Field, ...]

    @cached_property
    def signature(self) -> str:
        return abi.signature(self.name, self.params)

    @cached_property
    def selector(self) -> bytes:
        return abi.selector(self.signature)

    def encode_args(self, args: tuple[object, ...], named: dict[str, object]) -> bytes:
        if named or len(args) != len(self.params):
            raise TypeError(f"{self.name} takes {len(self.params)} arguments, in order")
        try:
            return self.selector + (
                StructType(self.name, self.params).encode(args) if args else b""
            )
        except abi.ValueMismatch as error:
            raise TypeError(f"{self.name}: {error.text}") from None

    def takes(self, args: tuple[object, ...], named: Mapping[str, object]) -> bool:
        """Return True if these arguments fit."""
        try:
            self.encode_args(args, dict(named))
        except TypeError:
            return False
        return True

    def decode_args(self, data: bytes) -> tuple[object, ...]:
        return abi.decode_members(self.params, data, 4)

    def decode_result(self, data: bytes) -> object:
        return decode_outputs(self.outputs, data)


def decode_outputs(outputs: tuple[Field, ...], data: bytes) -> object:
    """Return the only output of a function, a tuple of several, or None."""
    values = abi.decode_members(outputs, data)
    return values[0] if len(values) == 1 else tuple(values) or None


def check_items(items: object) -> None:
    """Refuse what is not a JSON ABI."""
    if not isinstance(items, list | tuple) or not all(isinstance(item, dict) for item in items):
        raise TypeError(f"abi = {short_repr(items)} is not a JSON ABI: give its list of dicts")


class Functions(Mapping[str, AbiFunction]):
    """The functions of a JSON ABI by name, each described on first use. Overloads are looked up by signature."""

    def __init__(self, items: list[JsonObject]) -> None:
        check_items(items)
        self._items = [item for item in items if item.get("type") == "function"]

    def __getitem__(self, name: str) -> AbiFunction:
        functions = self.named(name)
        if len(functions) > 1:
            choices = ", ".join(f"'{function.signature}'" for function in functions)
            raise TypeError(
                f"there are {len(functions)} functions '{name}': choose one by its signature, {choices}"
            )
        if not functions:
            raise KeyError(name)
        return functions[0]

    def named(self, name: str) -> tuple[AbiFunction, ...]:
        """Return all functions with this name or signature."""
        bare_name = name.partition("(")[0]
        functions = [_function(item) for item in self._items if item["name"] == bare_name]
        return tuple(function for function in functions if name in (bare_name, function.signature))

    def no_entry(self, name: str) -> str:
        """Return the message for a function `name` that the ABI lacks."""
        return f"the ABI has no function '{name}'; it has {', '.join(self) or 'none'}"

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(item["name"] for item in self._items))

    def __len__(self) -> int:
        return len(list(iter(self)))


def functions_from_json(items: list[dict[str, object]]) -> Functions:
    return Functions(items)


def _function(item: JsonObject) -> AbiFunction:
    return AbiFunction(
        item["name"],
        item.get("stateMutability") in ("view", "pure"),
        fields_from_json(item.get("inputs", [])),
        fields_from_json(item.get("outputs", [])),
    )


@dataclass(frozen=True, eq=False)
class AbiEvent:
    """An event of a foreign contract. It is decoded into a `DecodedAbiEvent`."""

    name: str
    members: tuple[Field, ...]
    indexed: tuple[bool, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(
            m.name for m, indexed in zip(self.members, self.indexed, strict=True) if indexed
        )

    @cached_property
    def signature(self) -> str:
        return abi.signature(self.name, self.members)

    @cached_property
    def topic(self) -> int:
        return int.from_bytes(keccak(self.signature.encode()))

    def decode(self, topics: tuple[int, ...], data: bytes) -> DecodedAbiEvent:
        plain = tuple(
            m for m, indexed in zip(self.members, self.indexed, strict=True) if not indexed
        )
        if len(topics) - 1 != len(self.members) - len(plain):
            raise abi.BadData(
                f"{self.name} has {len(self.keys)} indexed values, not {len(topics) - 1}"
            )
        values, rest = iter(topics[1:]), iter(abi.decode_members(plain, data))
        pairs = zip(self.members, self.indexed, strict=True)
        return DecodedAbiEvent(
            self.name, {m.name: _topic(m.kind, next(values)) if i else next(rest) for m, i in pairs}
        )


@dataclass(frozen=True)
class DecodedAbiEvent:
    """A decoded event of a foreign contract: its name and its values, which are also attributes."""

    name: str
    values: dict[str, object]

    def __getattr__(self, name: str) -> Any:
        values, name = vars(self).get("values", {}), abi.abi_name(name)
        if name not in values:
            raise AttributeError(f"event {self.name} has no '{name}'; it has {', '.join(values)}")
        return values[name]


def _topic(kind: ValueType, topic: int) -> object:
    """Decode an indexed value. A value of a type that does not fit in a word is known by its hash only."""
    raw = topic.to_bytes(32)
    return kind.decode(raw, 0) if isinstance(kind, Scalar) else raw


def events_from_json(items: list[JsonObject]) -> Iterator[AbiEvent]:
    """Return the events of a JSON ABI, except anonymous ones and those with unknown types."""
    for item in items:
        if item.get("type") != "event" or item.get("anonymous"):
            continue
        inputs = item["inputs"]
        with suppress(TypeError):
            members = fields_from_json(inputs)
            yield AbiEvent(item["name"], members, tuple(bool(i.get("indexed")) for i in inputs))
