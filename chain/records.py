"""What `@event` and `@error` mean, and what these share with `@model`: frozen descriptions of records that others see.

A description is made once, when the class is created, and everything that is wrong with it is said then: file, line, what
is wrong, what to write instead.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import FrameType
from typing import Any

from chain import abi
from chain.errors import DeclarationError
from chain.fields import require_frozen
from chain.hashing import keccak
from chain.kinds import (
    Account,
    Blob,
    Bool,
    Choice,
    Kind,
    Member,
    Record,
    Text,
    UnknownKind,
    is_key,
    kind_of,
)
from chain.types import FixedBytes, Int
from chain.where import line_of, line_of_field

_KEYS = Int | FixedBytes | Bool | Account | Choice | Text | Blob


@dataclass(frozen=True)
class RecordSpec:
    """The members of a model, event or error, keys apart."""

    cls: type
    members: tuple[Member, ...]
    keys: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.cls.__name__

    @cached_property
    def key_members(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.name in self.keys)

    @cached_property
    def data_members(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.name not in self.keys)

    @cached_property
    def signature(self) -> str:
        return abi.signature(self.name, self.members)


@dataclass(frozen=True)
class EventSpec:
    """An announcement: its topics and how its data are encoded."""

    record: RecordSpec

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def members(self) -> tuple[Member, ...]:
        return self.record.members

    @property
    def keys(self) -> tuple[str, ...]:
        return self.record.keys

    @property
    def signature(self) -> str:
        return self.record.signature

    @cached_property
    def topic(self) -> int:
        return int.from_bytes(keccak(self.signature.encode()))

    @cached_property
    def hashes_keys(self) -> bool:
        """Whether a topic holds only the hash of a key, so that a log does not tell it."""
        return any(isinstance(member.kind, Text | Blob) for member in self.record.key_members)

    @cached_property
    def _data(self) -> Callable[[Any], bytes]:
        data = self.record.data_members
        return abi.encoder(Record(self.name, data, self.record.cls)) if data else lambda event: b""

    @cached_property
    def _topics(self) -> tuple[tuple[str, Callable[[Any], int]], ...]:
        return tuple(
            (member.name, topic_encoder(member.kind)) for member in self.record.key_members
        )

    def encode(self, event: Any) -> tuple[tuple[int, ...], bytes]:
        try:
            keys = [encode(getattr(event, name)) for name, encode in self._topics]
            return (self.topic, *keys), self._data(event)
        except abi.Misfit:
            everything = Record(self.name, self.record.members, self.record.cls)
            raise abi.misfit(everything, event).under(self.name) from None

    def decode(self, topics: tuple[int, ...], data: bytes) -> Any:
        """The event again. A key of text or bytes is only a hash in a topic, and stays one."""
        values: dict[str, Any] = {}
        for member, topic in zip(self.record.key_members, topics[1:], strict=True):
            raw = topic.to_bytes(32)
            hashed = isinstance(member.kind, Text | Blob)
            values[member.name] = raw if hashed else abi.decoder(member.kind)(raw, 0)
        decoded = abi.decode_members(self.record.data_members, data)
        values |= dict(zip((m.name for m in self.record.data_members), decoded, strict=True))
        return self.record.cls(**values)

    def json(self) -> dict[str, Any]:
        inputs = [
            abi.json_type(m.name, m.kind) | {"indexed": m.name in self.record.keys}
            for m in self.record.members
        ]
        return {"type": "event", "name": self.name, "inputs": inputs, "anonymous": False}


@dataclass(frozen=True)
class ErrorSpec:
    """A declared refusal."""

    record: RecordSpec

    @property
    def name(self) -> str:
        return self.record.name

    @cached_property
    def selector(self) -> bytes:
        return abi.selector(self.record.signature)

    def encode(self, error: Any) -> bytes:
        if not self.record.members:
            return self.selector
        return self.selector + abi.encoder(Record(self.name, self.record.members, self.record.cls))(
            error
        )

    def decode(self, data: bytes) -> Any:
        return self.record.cls(*abi.decode_members(self.record.members, data, 4))

    def json(self) -> dict[str, Any]:
        return {
            "type": "error",
            "name": self.name,
            "inputs": [abi.json_type(m.name, m.kind) for m in self.record.members],
        }


def topic_encoder(kind: Kind) -> Callable[[Any], int]:
    encode = abi.encoder(kind)
    if isinstance(kind, Text):
        return lambda value: int.from_bytes(keccak(value.encode()))
    if isinstance(kind, Blob):
        return lambda value: int.from_bytes(keccak(value))
    return lambda value: int.from_bytes(encode(value))


def describe_record(cls: type, what: str, frame: FrameType) -> RecordSpec:
    """Read a `@model`, `@event` or `@error` class, or say what is wrong with it."""
    hints = resolve(cls, frame)
    members, keys = [], []
    for item in dataclasses.fields(cls):
        hint = hints[item.name]
        try:
            members.append(Member(item.name, kind_of(hint)))
            if what == "model":
                require_frozen(members[-1].kind)
        except UnknownKind as unknown:
            raise DeclarationError(
                f"{line_of_field(cls, item.name)}: {cls.__name__}.{item.name}: {unknown}"
            ) from None
        if is_key(hint):
            keys.append(item.name)
            if what == "error" or not isinstance(members[-1].kind, _KEYS):
                raise DeclarationError(
                    f"{line_of_field(cls, item.name)}: {cls.__name__}.{item.name}: a Key is a number, bool, Enum, Address,"
                    f" str or bytes of a model or event; take the Key[…] away"
                )
    spec = RecordSpec(cls, tuple(members), tuple(keys))
    if what == "model" and not keys:
        raise DeclarationError(
            f"{line_of(cls)}: model {cls.__name__} has no key; mark one, as in 'id: Key[u64]'"
        )
    if what == "model" and len(keys) == len(members):
        raise DeclarationError(
            f"{line_of(cls)}: model {cls.__name__} is all keys; add a member that holds something"
        )
    if what == "event" and len(keys) > 3:
        raise DeclarationError(
            f"{line_of(cls)}: event {cls.__name__} has {len(keys)} keys; a log has room for 3"
        )
    return spec


def resolve(thing: Any, frame: FrameType | None) -> dict[str, Any]:
    """The annotations of a class or function as objects, also when they were written as text."""
    seen: dict[str, Any] = {}
    while frame is not None:
        seen = {**frame.f_locals, **seen}
        if frame.f_code.co_name == "<module>":
            break
        frame = frame.f_back if "<locals>" in getattr(thing, "__qualname__", "") else None
    try:
        return typing.get_type_hints(thing, localns=seen, include_extras=True)
    except NameError as unknown:
        raise DeclarationError(
            f"{line_of(thing)}: {thing.__qualname__}: the type '{unknown.name}' is not known here; import it"
        ) from None
