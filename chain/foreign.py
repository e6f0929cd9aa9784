"""Contracts that are not ours, known by their JSON ABI: their functions and events in our kinds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from chain import abi
from chain.hashing import keccak
from chain.kinds import Account, Blob, Bool, Kind, Member, Record, Sequence, Text
from chain.types import FixedBytes, Int

_PLAIN: dict[str, Kind] = {"bool": Bool(), "address": Account(), "string": Text(), "bytes": Blob()}


def kind_from_json(parameter: dict[str, Any]) -> Kind:
    """The kind of one parameter of a JSON ABI. Tuples come as plain tuples, fixed arrays too."""
    written: str = parameter["type"]
    array = re.fullmatch(r"(.*)\[(\d*)\]", written)
    if array:
        item = kind_from_json({**parameter, "type": array[1]})
        if not array[2]:
            return Sequence(item)
        return Record(written, tuple(Member(str(i), item) for i in range(int(array[2]))))
    if written == "tuple":
        return Record("tuple", members_from_json(parameter["components"]))
    if written in _PLAIN:
        return _PLAIN[written]
    number = re.fullmatch(r"(u?)int(\d+)", written)
    if number:
        bits = int(number[2])
        if number[1]:
            return Int(f"u{bits}", bits, 0, 2**bits - 1)
        return Int(f"i{bits}", bits, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    fixed = re.fullmatch(r"bytes(\d+)", written)
    if fixed:
        return FixedBytes(written, int(fixed[1]))
    raise TypeError(f"the ABI type '{written}' is not known here")


def members_from_json(parameters: list[dict[str, Any]]) -> tuple[Member, ...]:
    return tuple(
        Member(parameter.get("name") or str(i), kind_from_json(parameter))
        for i, parameter in enumerate(parameters)
    )


@dataclass(frozen=True, eq=False)
class Function:
    """A function of a foreign contract."""

    name: str
    is_view: bool
    params: tuple[Member, ...]
    outputs: tuple[Member, ...]

    @cached_property
    def selector(self) -> bytes:
        return abi.selector(abi.signature(self.name, self.params))

    def encode_args(self, args: tuple[Any, ...], named: dict[str, Any]) -> bytes:
        if named or len(args) != len(self.params):
            raise TypeError(f"{self.name} takes {len(self.params)} arguments, in order")
        try:
            return self.selector + (
                abi.encoder(Record(self.name, self.params))(args) if args else b""
            )
        except abi.Misfit as wrong:
            raise TypeError(f"{self.name}: {wrong.text}") from None

    def decode_args(self, data: bytes) -> tuple[Any, ...]:
        return abi.decode_members(self.params, data, 4)

    def decode_result(self, data: bytes) -> Any:
        values = abi.decode_members(self.outputs, data)
        return values[0] if len(values) == 1 else tuple(values) or None


def functions_from_json(items: list[dict[str, Any]]) -> dict[str, Function]:
    return {
        item["name"]: Function(
            item["name"],
            item.get("stateMutability") in ("view", "pure"),
            members_from_json(item.get("inputs", [])),
            members_from_json(item.get("outputs", [])),
        )
        for item in items
        if item.get("type") == "function"
    }


@dataclass(frozen=True, eq=False)
class ForeignEvent:
    """An event of a foreign contract; decoded, it is a `ForeignLog`."""

    name: str
    members: tuple[Member, ...]
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

    def decode(self, topics: tuple[int, ...], data: bytes) -> ForeignLog:
        plain = tuple(
            m for m, indexed in zip(self.members, self.indexed, strict=True) if not indexed
        )
        values, rest = iter(topics[1:]), iter(abi.decode_members(plain, data))
        pairs = zip(self.members, self.indexed, strict=True)
        return ForeignLog(
            self.name, {m.name: _topic(m.kind, next(values)) if i else next(rest) for m, i in pairs}
        )


@dataclass(frozen=True)
class ForeignLog:
    """A decoded event of a foreign contract: its name and its values, also as attributes."""

    name: str
    values: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(
                f"event {self.name} has no '{name}'; it has {', '.join(self.values)}"
            ) from None


def _topic(kind: Kind, topic: int) -> Any:
    """An indexed value; one that is longer than a word is known by its hash only."""
    raw = topic.to_bytes(32)
    return raw if isinstance(kind, Text | Blob | Sequence | Record) else abi.decoder(kind)(raw, 0)


def events_from_json(items: list[dict[str, Any]]) -> Iterator[ForeignEvent]:
    for item in items:
        if item.get("type") == "event" and not item.get("anonymous"):
            inputs = item["inputs"]
            yield ForeignEvent(
                item["name"],
                members_from_json(inputs),
                tuple(bool(i.get("indexed")) for i in inputs),
            )
