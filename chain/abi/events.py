"""Encoding of events in logs: a topic for each key, and the other members as data."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeAlias

from chain.crypto.hashing import keccak
from chain.values import Scalar, StructType, ValueMismatch, ValueType
from chain.values.kind import misfit
from chain.values.source import Source

# From an event to its topics, its data, and all members if a topic is only a hash of its key.
EventEncoder: TypeAlias = Callable[[object], tuple[tuple[int, ...], bytes, bytes | None]]


def event_encoder(kind: StructType, keys: Collection[str], topic: int) -> EventEncoder:
    """Return the function that encodes events with these members, of which some are `keys`; the first topic is `topic`."""
    source = Source(f"emit {kind.name}")
    indexed = [member for member in kind.members if member.name in keys]
    others = tuple(member for member in kind.members if member.name not in keys)
    values = [source.var(f"v.{member.name}") for member in others]
    data = StructType(kind.name, others, kind.cls).heads_and_tails(source, values)
    topics = [str(topic)]
    topics += [f"{source.bind(topic_encoder(key.kind))}(v.{key.name})" for key in indexed]
    is_hashed = any(not isinstance(key.kind, Scalar) for key in indexed)
    whole = f"{source.bind(kind.encode)}(v)" if is_hashed else None
    result = f"({', '.join(topics)},), {data}, {whole}"
    encode: EventEncoder = source.function("v", result, misfit(source, kind))

    def encode_event(event: object) -> tuple[tuple[int, ...], bytes, bytes | None]:
        try:
            return encode(event)
        except ValueMismatch as error:
            raise error.prefixed(kind.name) from None

    return encode_event


def topic_encoder(kind: ValueType) -> Callable[[object], int]:
    """Return a function that encodes a key as a topic: its word, or the hash of a text, of bytes or of a record."""
    encode, word = kind.key, int.from_bytes
    if isinstance(kind, Scalar):
        return lambda value: word(encode(value))
    return lambda value: word(keccak(encode(value)))
