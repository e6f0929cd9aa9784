"""Encoding of values into ABI bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cache
from itertools import chain
from typing import Any, Final

from chain.foundation.dataclass import dataclass
from chain.schema.codegen import SourceBuilder
from chain.schema.validation import ValueMismatch, explain_mismatch
from chain.schema.value_types import (
    BytesType,
    Int,
    ListType,
    OptionalType,
    Scalar,
    StringType,
    StructType,
    ValueType,
)

Encoder = Callable[[object], bytes]

_BYTES = [number.to_bytes(32) for number in range(256)]  # the words of small numbers, computed once


@cache
def encoder(kind: ValueType) -> Encoder:
    """Return the function that encodes values of `kind`. It raises `ValueMismatch`."""
    match kind:
        case StringType():
            return _encode_text
        case BytesType():
            return _encode_blob
        case ListType(item=Int() as item):
            general = _numbers_encoder(kind, item)
            return _octets_encoder(general, 0) if _is_octet(item) else general
        case ListType(item=item):
            general = _sequence_encoder(kind, encoder(item), item.is_dynamic)
            if (
                isinstance(item, StructType)
                and item.cls is None
                and all(map(_is_octet, item.parts))
            ):
                return _octets_encoder(general, len(item.parts))
            return general
        case OptionalType(item=item) if kind.is_dynamic:
            return _option_encoder(encoder(item), blank(item))
        case _:
            return _flat_encoder(kind)


def key_encoder(kind: ValueType, path: str = "") -> Encoder:
    """Return the encoder of keys, in the form in which they are hashed: text and bytes as they are, all else as words.

    `path` names the key in errors.
    """
    encode = _KEYS.get(type(kind))
    if encode is None:
        return _flat_encoder(kind, path) if path else encoder(kind)
    return _named(encode, path) if path else encode


def _named(encode: Encoder, path: str) -> Encoder:
    """Return the same encoder with `path` in front of its errors."""

    def encode_named(value: object) -> bytes:
        try:
            return encode(value)
        except ValueMismatch as error:
            raise error.prefixed(path) from None

    return encode_named


def widened(kind: ValueType) -> ValueType:
    """Return the same type with full words for its numbers, so that a number out of range can be encoded.

    The decoder of `kind` refuses every such number. Types of 255 bits and more stay as they are: a number out of their range
    would be encoded as another, valid one.
    """
    if isinstance(kind, Int) and kind.highest.bit_length() < 255:
        return Int.sized(kind.name, 256, signed=True)
    return kind.map(widened)


def blank(kind: ValueType) -> bytes:
    """Return the encoding of an absent value: as short as possible, all zero except for the offsets."""
    if not isinstance(kind, OptionalType | StructType) or not kind.is_dynamic:
        return bytes(kind.body_size)
    heads, tails = b"", b""
    for part in kind.parts:
        if part.is_dynamic:
            heads += (kind.body_size + len(tails)).to_bytes(32)
            tails += blank(part)
        else:
            heads += bytes(part.head_size)
    return heads + tails


@dataclass
class _Plan(SourceBuilder):
    """An encoder that is being generated: lines of Python, and the format of one `struct.pack`."""

    lines: list[str] = field(default_factory=list)
    formats: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    tails: list[str] = field(default_factory=list)

    def add(self, kind: ValueType, value: str) -> None:
        """Plan to encode the value called `value`."""
        match kind:
            case Scalar():
                self._scalar(kind, value)
            case StructType() if not kind.is_dynamic:
                self.spread(kind, value)
            case OptionalType(item=Scalar() as item):
                self.formats.append("31x?")
                self.values.append(f"{value} is not None")
                self._scalar(item, value, f" if {value} is not None else ")
            case OptionalType() if not kind.is_dynamic:
                self.formats.append(f"{kind.head_size}s")
                absent = self.bind(blank(kind))
                present = f"yes + {self.bind(encoder(kind.item))}({value})"
                self.values.append(f"{absent} if {value} is None else {present}")
            case _:
                self.formats.append("24xQ")
                self.values.append(f"o{len(self.tails)}")
                self.tails.append(f"{self.bind(encoder(kind))}({value})")

    def spread(self, kind: StructType, value: str) -> None:
        """Plan to encode the members of a record, each in a local variable."""
        self.lines += kind.destructuring_source(value)
        for i, part in enumerate(kind.parts):
            self.add(part, f"{value}_{i}")

    def _scalar(self, kind: Scalar, value: str, unless: str = "") -> None:
        """Plan to encode a value of one word.

        `unless` turns an expression into one for a value that may be None: ` if v is not None else `.
        """
        check = kind.refusal(value)
        if check:
            self.checks.append(f"{value} is not None and ({check})" if unless else check)
        form, parts = kind.encode(value, self.bind)
        self.formats.append(form)
        self.values += [f"{part}{unless}{zero}" if unless else part for part, zero in parts]

    def compile(self, kind: ValueType, path: str = "") -> Encoder:
        """Return the encoder. `kind` is the type that errors refer to, `path` where the value is."""
        form = struct.Struct(">" + "".join(self.formats))
        lines = [*self.lines]
        if self.checks:
            lines.append(f"if {' or '.join(self.checks)}: raise OverflowError")
        offset = str(form.size)
        for i, tail in enumerate(self.tails):
            lines += [f"t{i} = {tail}", f"o{i} = {offset}"]
            offset = f"o{i} + len(t{i})"
        tails = "".join(f" + t{i}" for i in range(len(self.tails)))
        lines.append(f"return pack({', '.join(self.values)}){tails}")
        source = ["def encode(v):", " try:", *(f"  {line}" for line in lines)]
        named = f".prefixed({self.bind(path)})" if path else ""
        source.append(f" except Exception as wrong: raise misfit(kind, v, wrong){named} from None")
        names = {
            "pack": form.pack,
            "misfit": explain_mismatch,
            "kind": kind,
            "yes": (1).to_bytes(32),
        }
        encode: Encoder = self.run(source, names)["encode"]
        return encode


def _flat_encoder(kind: ValueType, path: str = "") -> Encoder:
    plan = _Plan(f"encode {kind.name or 'arguments'}")
    if isinstance(kind, StructType):
        plan.spread(kind, "v")
    else:
        plan.add(kind, "v")
    return plan.compile(kind, path)


def _raw_text(value: Any) -> bytes:
    try:
        return str.encode(value)
    except (TypeError, UnicodeEncodeError) as error:
        raise explain_mismatch(StringType(), value, error) from None


def _raw_bytes(value: object) -> bytes:
    if not isinstance(value, bytes | bytearray):
        raise explain_mismatch(BytesType(), value)
    return bytes(value)


_KEYS: Final[dict[type, Encoder]] = {StringType: _raw_text, BytesType: _raw_bytes}


def _encode_text(value: object) -> bytes:
    return _with_length(_raw_text(value))


def _encode_blob(value: object) -> bytes:
    return _with_length(_raw_bytes(value))


def _with_length(raw: bytes) -> bytes:
    """Return bytes as the ABI encodes them: their length, then the bytes padded to full words."""
    return len(raw).to_bytes(32) + raw + bytes(-len(raw) % 32)


def _numbers_encoder(kind: ValueType, item: Int) -> Encoder:
    """Return the encoder of a list of numbers. Game boards are such lists, so there is no call for each number."""
    form, parts = item.encode("v", str)
    word = f"pack({', '.join(part for part, _ in parts)})"
    if item.lowest == 0 and item.highest < len(_BYTES):
        word = "small[v]"
    source = f"""def encode(values):
        return [{word} if not ({item.refusal("v")}) else fail() for v in values]"""
    tools = {"pack": struct.Struct(">" + form).pack, "small": _BYTES, "fail": _fail}
    return _sequence_encoder(
        kind, SourceBuilder(f"encode {kind.name}").run([source], tools)["encode"], False, whole=True
    )


def _fail() -> None:
    raise OverflowError


def _is_octet(kind: ValueType) -> bool:
    return isinstance(kind, Int) and (kind.lowest, kind.highest) == (0, 255)


def _octets_encoder(general: Encoder, width: int) -> Encoder:
    """Return the encoder of a list of u8, or of tuples of `width` u8: all at once, since boards are such lists.

    Whatever is not as usual is left to the `general` encoder.
    """
    usual, tuples, widths = {int}, {tuple}, {width}

    def encode_octets(values: object) -> bytes:
        if type(values) is not list and type(values) is not tuple:
            return general(values)
        octets: Sequence[object] = values
        if width:
            if not (tuples.issuperset(map(type, values)) and widths.issuperset(map(len, values))):
                return general(values)
            octets = [*chain.from_iterable(values)]
        if not usual.issuperset(map(type, octets)):
            return general(values)
        try:
            raw = bytearray(octets)  # type: ignore[arg-type]  # they are whole numbers
        except ValueError:  # one is negative, or above 255
            return general(values)
        words = bytearray(32 * len(raw))
        words[31::32] = raw
        return len(values).to_bytes(32) + words

    return encode_octets


def _sequence_encoder(
    kind: ValueType, encode: Callable[[object], Any], dynamic: bool, whole: bool = False
) -> Encoder:
    """Return the encoder of a list.

    `encode` takes one item, or the list of all if `whole`. `dynamic` is True if the items are of a dynamic type.
    """

    def encode_sequence(values: object) -> bytes:
        if not isinstance(values, list | tuple):
            raise explain_mismatch(kind, values)
        try:
            items = encode(values) if whole else [encode(value) for value in values]
        except Exception as error:
            raise explain_mismatch(kind, values, error) from None
        head = len(items).to_bytes(32)
        return head + (_join_dynamic(items) if dynamic else b"".join(items))

    return encode_sequence


def _join_dynamic(items: list[bytes]) -> bytes:
    """Return encoded items of a dynamic type behind their offsets."""
    offsets, offset = [], 32 * len(items)
    for item in items:
        offsets.append(offset.to_bytes(32))
        offset += len(item)
    return b"".join(offsets + items)


def _option_encoder(encode: Encoder, blank: bytes) -> Encoder:
    offset = (64).to_bytes(32)
    absent, present = bytes(32) + offset + blank, (1).to_bytes(32) + offset

    def encode_option(value: object) -> bytes:
        return absent if value is None else present + encode(value)

    return encode_option
