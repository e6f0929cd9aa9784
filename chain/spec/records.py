"""Descriptions of `@event` and `@error`, and what these share with `@model`: records that are visible from outside.

A description is made once, when the class is created. All mistakes are reported then: file, line, what is wrong, and what to
write instead.
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from types import FrameType
from typing import Any, Final, NoReturn, TypeAlias

from chain import abi
from chain.crypto.hashing import keccak
from chain.errors import DeclarationError
from chain.foundation.dataclass import dataclass
from chain.source.location import Source, line_of, line_of_field, source_of_frame
from chain.spec.findings import Findings
from chain.values import (
    Blob,
    Field,
    FixedBytes,
    Scalar,
    StructType,
)
from chain.values.annotations import (
    abi_type_of_annotation,
    declaring_class,
    is_key,
    require_positional_init,
    without_key,
)
from chain.values.hints import UnsupportedAnnotation, namespace_at, resolve

_Decoder: TypeAlias = Callable[[bytes, int], tuple[object, ...]]
_HASH: Final = FixedBytes("bytes32", 32)  # a topic that holds only the hash of a key
_TAKEN = {
    ("event", "Log(string)"): "what self.log(text) writes",
    ("error", "Error(string)"): "a plain Revert, as seen from outside",
    ("error", "Panic(uint256)"): "a failed assertion in Solidity",
}
_KEY = {
    "model": "a Key of a model must not change: use a tuple or a frozen dataclass, or remove the Key[…]",
    "event": "a Key of an event is a value of fixed size, str or bytes; remove the Key[…]",
}


@dataclass(frozen=True)
class RecordSpec:
    """The members of a model, event or error, and which of them are keys."""

    cls: type
    members: tuple[Field, ...]
    keys: tuple[str, ...]
    source: Source

    @property
    def name(self) -> str:
        return self.cls.__name__

    @cached_property
    def key_members(self) -> tuple[Field, ...]:
        return tuple(member for member in self.members if member.name in self.keys)

    @cached_property
    def data_members(self) -> tuple[Field, ...]:
        return tuple(member for member in self.members if member.name not in self.keys)

    @cached_property
    def signature(self) -> str:
        return abi.signature(self.name, self.members)


@dataclass(frozen=True)
class EventSpec:
    """An event: its topics, and the encoding of its data."""

    record: RecordSpec

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def members(self) -> tuple[Field, ...]:
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
    def encode(self) -> abi.EventEncoder:
        """The function that encodes an event: its topics, its data, and all members if a topic is only a hash of its key."""
        return abi.event_encoder(self._all_members, self.keys, self.topic)

    @property
    def _all_members(self) -> StructType:
        return StructType(self.name, self.members, self.record.cls)

    @cached_property
    def is_plain(self) -> bool:
        """True if an event is just its members: none of the author's code runs when it is made."""
        return not self._all_members.runs_author_code

    def decode(self, topics: tuple[int, ...], data: bytes) -> object:
        """Return the event with these topics and data. A key of text or bytes, or a record, is returned as its hash."""
        return self.record.cls(*self.decode_members(topics, data))

    def decode_members(self, topics: tuple[int, ...], data: bytes) -> Sequence[object]:
        """Return the members of the event with these topics and data."""
        count, order, decode_keys, decode_data = self._decoders
        if len(topics) != count:
            raise abi.BadData(f"{self.name} has {count - 1} keys, not {len(topics) - 1}")
        raw = (
            topics[1].to_bytes(32)
            if count == 2
            else b"".join([topic.to_bytes(32) for topic in topics[1:]])
        )
        values = decode_keys(raw, 0) + decode_data(data, 0)
        return values if order is None else [values[i] for i in order]

    @cached_property
    def _decoders(self) -> tuple[int, list[int] | None, _Decoder, _Decoder]:
        """The number of topics; the place of each member among the keys and then the others, or None if it has that place
        already; the functions that decode keys and others.
        """
        keys, others = self.record.key_members, self.record.data_members
        words = [key if isinstance(key.kind, Scalar) else replace(key, kind=_HASH) for key in keys]
        names = [member.name for member in (*keys, *others)]
        places = [names.index(member.name) for member in self.members]
        order = None if places == [*range(len(names))] else places
        decode_keys, decode_data = abi.members_decoder(tuple(words)), abi.members_decoder(others)
        return 1 + len(keys), order, decode_keys, decode_data

    def decode_whole(self, data: bytes) -> object:
        """Return the event that `encode` encoded."""
        return self.record.cls(*abi.decode_members(self.members, data))

    def json(self) -> dict[str, Any]:
        """Return the entry of the JSON ABI."""
        inputs = [
            abi.json_type(m.name, m.kind) | {"indexed": m.name in self.record.keys}
            for m in self.record.members
        ]
        return {"type": "event", "name": self.name, "inputs": inputs, "anonymous": False}


@dataclass(frozen=True)
class ErrorSpec:
    """A declared error."""

    record: RecordSpec

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def signature(self) -> str:
        return self.record.signature

    @cached_property
    def selector(self) -> bytes:
        return abi.selector(self.signature)

    @cached_property
    def _encode_members(self) -> Callable[[object], bytes]:
        members = self.record.members
        return (
            StructType(self.name, members, self.record.cls).encode if members else lambda error: b""
        )

    def encode(self, error: object) -> bytes:
        """Return the revert data of an error: its selector and its members."""
        try:
            return self.selector + self._encode_members(error)
        except abi.ValueMismatch as mismatch:
            raise mismatch.prefixed(self.name) from None

    def decode(self, data: bytes) -> object:
        """Return the error with this revert data."""
        return self.record.cls(*abi.decode_members(self.record.members, data, 4))

    def json(self) -> dict[str, Any]:
        """Return the entry of the JSON ABI."""
        return {
            "type": "error",
            "name": self.name,
            "inputs": [abi.json_type(m.name, m.kind) for m in self.record.members],
        }


class RecordReader:
    """A reader that makes a `@model`, `@event` or `@error` out of a class, or reports what is wrong with it.

    `what` is the name of the decorator, `frame` the place of the declaration.
    """

    def __init__(self, cls: type, what: str, frame: FrameType) -> None:
        self.cls, self.what, self.source = cls, what, source_of_frame(frame)
        self.names = namespace_at(frame, cls.__qualname__)
        self.findings = Findings(cls.__name__)

    def make(self, **options: bool) -> RecordSpec:
        """Turn the class into a dataclass with these options, and describe it."""
        self._resolve_annotations()
        with self.findings:
            try:
                dataclass(self.cls, **options)
            except (TypeError, ValueError) as error:
                self._refuse(str(error))
            spec = self._describe()
        self.findings.report()
        return spec

    def _resolve_annotations(self) -> None:
        """Replace annotations that are text by objects: `dataclasses` cannot resolve text entered at a prompt."""
        annotations = {}
        for name, hint in inspect.get_annotations(self.cls).items():
            annotations[name] = hint
            with self.findings:
                try:
                    annotations[name] = resolve(hint, self.names)
                except UnsupportedAnnotation as error:
                    raise self._wrong_member(name, error) from None
        self.cls.__annotations__ = annotations

    def _describe(self) -> RecordSpec:
        members, keys = [], []
        for item in dataclasses.fields(self.cls):
            with self.findings:
                member, key = self._member(item)
                members.append(member)
                keys += [item.name] if key else []
        spec = RecordSpec(self.cls, tuple(members), tuple(keys), self.source)
        if not self.findings:
            self._check_whole(spec)
        return spec

    def _member(self, item: dataclasses.Field[object]) -> tuple[Field, bool]:
        """Return a member, and True if it is a key."""
        names = self.names.for_class(declaring_class(self.cls, item.name))
        try:
            hint = resolve(item.type, names)
            bare, has_key_mark = without_key(hint), is_key(hint)
            if isinstance(bare, typing.TypeVar):
                raise UnsupportedAnnotation("'Key' has no type; write one, such as 'Key[u64]'")
            value_type = abi_type_of_annotation(bare, names)
        except UnsupportedAnnotation as error:
            raise self._wrong_member(item.name, error) from None
        if has_key_mark and self.what == "error":
            self._refuse_member(
                item.name, "errors are not searched for, so they have no keys; remove the Key[…]"
            )
        has_size = isinstance(value_type, Blob) or not value_type.is_dynamic
        if has_key_mark and (value_type.is_changeable or not (has_size or self.what == "model")):
            self._refuse_member(item.name, _KEY[self.what])
        if self.what == "error" and hasattr(Exception, item.name):
            self._refuse_member(
                item.name, f"every exception has its own '{item.name}'; choose another name"
            )
        return Field(item.name, value_type), has_key_mark

    def _check_whole(self, spec: RecordSpec) -> None:
        """Check what concerns all members together."""
        keys = len(spec.keys)
        if self.what == "model" and not keys:
            self._refuse("it has no key; mark one, as in 'id: Key[u64]'")
        if self.what == "model" and keys == len(spec.members):
            self._refuse("all its members are keys; add one that is not a key")
        if self.what == "event" and keys > 3:
            self._refuse(f"it has {keys} keys, and a log has room for 3; remove Key[…] from some")
        reserved_for = _TAKEN.get((self.what, spec.signature))
        if reserved_for is not None:
            self._refuse(f"{spec.signature} is {reserved_for}; choose another name")
        try:
            require_positional_init(self.cls)
        except UnsupportedAnnotation as error:
            self._refuse(str(error))

    def _refuse(self, wrong: str) -> NoReturn:
        raise DeclarationError(
            f"{line_of(self.cls, self.source)}: {self.what} {self.cls.__name__}: {wrong}"
        )

    def _refuse_member(self, name: str, wrong: str) -> NoReturn:
        raise self._wrong_member(name, UnsupportedAnnotation(wrong))

    def _wrong_member(self, name: str, error: UnsupportedAnnotation) -> DeclarationError:
        line = line_of_field(self.cls, name, self.source)
        return self.findings.refusal(line, f"{self.cls.__name__}.{name}", error)
