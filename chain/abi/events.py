"""Encoding of events in logs: a topic for each key, and the other members as data."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import TypeAlias

from chain.abi.encode import EncodingPlan, encoder, key_encoder
from chain.crypto.hashing import keccak
from chain.schema.codegen import SourceBuilder
from chain.schema.scalars import Bind
from chain.schema.value_types import (
    AddressType,
    BytesType,
    Int,
    StringType,
    StructType,
    ValueType,
)

# From an event to its topics, its data, and all members if a topic is only a hash of its key.
EventEncoder: TypeAlias = Callable[[object], tuple[tuple[int, ...], bytes, bytes | None]]


def event_encoder(kind: StructType, keys: Collection[str], topic: int) -> EventEncoder:
    """Return the function that encodes events with these members, of which some are `keys`; the first topic is `topic`."""
    plan = EncodingPlan(f"emit {kind.name}")
    indexed = [member for member in kind.members if member.name in keys]
    others = tuple(member for member in kind.members if member.name not in keys)
    plan.lines += [f"k_{i} = v.{key.name}" for i, key in enumerate(indexed)]
    plan.lines += [f"v_{i} = v.{member.name}" for i, member in enumerate(others)]
    plan.members(StructType(kind.name, others, kind.cls), "v")
    topics = [str(topic)]
    topics += [topic_source(key.kind, f"k_{i}", plan.bind) for i, key in enumerate(indexed)]
    is_hashed = any(isinstance(key.kind, StringType | BytesType) for key in indexed)
    whole = f"{plan.bind(encoder(kind))}(v)" if is_hashed else None
    return plan.compile(kind, path=kind.name, result=f"({', '.join(topics)},), {{}}, {whole}")


@cache
def topic_encoder(kind: ValueType) -> Callable[[object], int]:
    """Return a function that encodes a key as a topic: its word, or the hash of text or bytes."""
    source = SourceBuilder(f"topic of {kind.name}")
    line = f"def topic(v): return {topic_source(kind, 'v', source.bind)}"
    encode: Callable[[object], int] = source.run([line], {})["topic"]
    return encode


def topic_source(kind: ValueType, value: str, bind: Bind) -> str:
    """Return source of the topic for the key in a variable. The usual ones need no encoder."""
    encoded = f"{bind(key_encoder(kind))}({value})"
    match kind:
        case StringType() | BytesType():
            return f"number({bind(keccak)}({encoded}))"
        case AddressType():
            return f"number({value} if {value}.__class__ is Address else {encoded})"
        case Int(signed=False):  # the word is the number itself
            is_usual = f"{value}.__class__ is int and not ({kind.beyond(value)})"
            return f"({value} if {is_usual} else number({encoded}))"
        case _:
            return f"number({encoded})"
