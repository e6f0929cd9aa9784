"""Calldata and results: signatures, selectors, values side by side, and the JSON of a parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from chain.crypto.hashing import keccak
from chain.values import Field, Int, ListType, StructType, ValueMismatch, ValueType
from chain.values.kind import Encoder, misfit
from chain.values.records import abi_name
from chain.values.source import Source


def signature(name: str, members: Iterable[Field]) -> str:
    return f"{name}({','.join(member.kind.abi_type for member in members)})"


def selector(text: str) -> bytes:
    """Return the first four bytes of the hash of a signature."""
    return keccak(text.encode())[:4]


def json_type(name: str, kind: ValueType) -> dict[str, Any]:
    """Return a parameter as the JSON ABI describes it, tuples with their components."""
    name, suffix = abi_name(name), ""
    while isinstance(kind, ListType):
        kind, suffix = kind.item, suffix + "[]"
    shown = {"name": name, "type": kind.abi_type + suffix, "internalType": kind.solidity + suffix}
    if not kind.parts:
        return shown
    components = [json_type(*part) for part in zip(kind.part_names, kind.parts, strict=True)]
    return {**shown, "type": "tuple" + suffix, "components": components}


# Encoding and decoding


def call_encoder(kind: StructType, selector: bytes) -> Callable[[tuple[object, ...]], bytes]:
    """Return the function that encodes a call: the selector, and a tuple of as many arguments as `kind` has members."""
    if not kind.members:
        return lambda args: selector
    source = Source(f"encode {kind.name}")
    names = [source.variable() for _ in kind.members]
    source.lines.append(f"{', '.join(names)}, = v")
    encoded = kind.heads_and_tails(source, names, selector)
    return source.function("v", encoded, misfit(source, kind))


def prefixing(encode: Encoder, path: str) -> Encoder:
    """Return the same encoder with `path` in front of its errors."""

    def encode_named(value: object) -> bytes:
        try:
            return encode(value)
        except ValueMismatch as error:
            raise error.prefixed(path) from None

    return encode_named


def decode(kind: ValueType, data: bytes) -> object:
    """Decode `data` as a single value of `kind`, such as return data."""
    return decode_members((Field("", kind),), data)[0]


def decode_members(members: tuple[Field, ...], data: bytes, start: int = 0) -> tuple[object, ...]:
    """Decode the bytes from `start` on as the values of `members`, side by side."""
    return members_decoder(members)(data, start)


def members_decoder(members: tuple[Field, ...]) -> Callable[[bytes, int], tuple[object, ...]]:
    """Return the function behind `decode_members`, for callers that use it often."""
    return StructType("", members).decode if members else lambda data, start: ()


def widened(kind: ValueType) -> ValueType:
    """Return the same type with full words for its numbers, so that a number out of range can be encoded.

    The decoder of `kind` refuses every such number. Types of 255 bits and more stay as they are: a number out of their range
    would be encoded as another, valid one.
    """
    if isinstance(kind, Int) and kind.highest.bit_length() < 255:
        return Int.sized(kind.name, 256, signed=True)
    return kind.map(widened)
