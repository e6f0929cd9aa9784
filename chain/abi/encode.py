"""Encoding of values into ABI bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import field
from functools import cache
from typing import Any, Final, cast

from chain.abi.texts import PADDING
from chain.foundation.dataclass import dataclass
from chain.schema.codegen import SourceBuilder
from chain.schema.octets import octet_letters, plain_numbers, words_packer
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

_SHORT, _MOST = 128, 1 << 12  # bytes of an encoded text that is kept, and the number of these


class _Texts(dict[str, bytes]):
    """Encodings of texts by the text. Short ones are kept, because the same names and commands are encoded again and again."""

    def __missing__(self, text: str) -> bytes:
        encoded = _encode_text(text)
        if len(encoded) <= _SHORT:
            if len(self) >= _MOST:
                self.clear()
            self[text] = encoded
        return encoded


# What generated encoders use.
_TOOLS: Final = {
    "yes": (1).to_bytes(32), "join": b"".join, "texts": _Texts(), "plain_numbers": plain_numbers,
}  # fmt: skip


@cache
def encoder(kind: ValueType) -> Encoder:
    """Return the function that encodes values of `kind`. It raises `ValueMismatch`."""
    match kind:
        case StringType():
            return _encode_text
        case BytesType():
            return _encode_blob
        case ListType(item=item):
            return _sequence_encoder(kind) if item.is_dynamic else _items_encoder(kind)
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
class _Words:
    """Words side by side, for one `struct.pack`."""

    formats: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)

    def add(self, form: str, *values: str) -> None:
        self.formats.append(form)
        self.values += values

    def source(self, bind: Callable[[object], str]) -> str:
        pack = struct.Struct(">" + "".join(self.formats)).pack
        return f"{bind(pack)}({', '.join(self.values)})"


@dataclass
class EncodingPlan(SourceBuilder):
    """An encoder that is being generated: lines of Python, and the pieces of its result in order.

    Whatever has a fixed size is packed with its neighbours, the head of a record in a record too. The pieces between are
    bytes: texts, lists, options.
    """

    lines: list[str] = field(default_factory=list)
    pieces: list[_Words | str] = field(default_factory=list)
    # The end of the pieces: `distance` bytes and then `sizes` after `place`, a variable; after the start if there is none.
    place: str = ""
    distance: int = 0
    sizes: list[str] = field(default_factory=list)  # known when the encoder runs

    @property
    def words(self) -> _Words:
        """The words at the end of the pieces."""
        if not self.pieces or isinstance(self.pieces[-1], str):
            self.pieces.append(_Words())
        return cast(_Words, self.pieces[-1])

    def add(self, kind: ValueType, value: str) -> None:
        """Plan to encode the value called `value`, whose type has a fixed size."""
        match kind:
            case Scalar():
                self._scalar(kind, value)
            case StructType():
                self.lines += kind.destructuring_source(value)
                for i, part in enumerate(kind.parts):
                    self.add(part, f"{value}_{i}")
            case OptionalType(item=Scalar() as item):
                self.words.add("31x?", f"{value} is not None")
                self._scalar(item, value, f" if {value} is not None else ")
            case OptionalType():
                absent = self.bind(blank(kind))
                present = f"yes + {self.bind(encoder(kind.item))}({value})"
                self.words.add(f"{kind.head_size}s", f"{absent} if {value} is None else {present}")
            case _:
                raise AssertionError(kind)

    def members(self, kind: StructType, value: str) -> None:
        """Plan to encode a record whose members are in local variables: its head, then its tails."""
        (place, distance), head = self._end(), self.words
        offsets: dict[int, int] = {}  # by member with a tail, the index of its value in the head
        for i, part in enumerate(kind.parts):
            if part.is_dynamic:
                offsets[i] = len(head.values)
                head.add("24xQ", "")
            else:
                self.add(part, f"{value}_{i}")
        self.close_checks()
        self.distance += kind.body_size
        for i, index in offsets.items():
            end, beyond = self._end()
            moved = [f"{end}{place and f' - {place}'}"] if end != place else []
            known = [str(beyond - distance)] if beyond != distance or not moved else []
            head.values[index] = " + ".join([*moved, *known])
            self._tail(kind.parts[i], f"{value}_{i}")

    def _tail(self, kind: ValueType, value: str) -> None:
        match kind:
            case StructType():
                self.lines += kind.destructuring_source(value)
                self.members(kind, value)
            case _:
                encoded = f"{self.bind(encoder(kind))}({value})"
                if isinstance(kind, StringType):  # a subclass may compare otherwise
                    encoded = f"texts[{value}] if {value}.__class__ is str else {encoded}"
                tail = self._piece(encoded)
                self.sizes.append(f"len({tail})")
                self.pieces.append(tail)

    def _piece(self, source: str) -> str:
        """Return the variable for bytes that a line of `source` makes."""
        name = f"b{len(self.lines)}"
        self.lines.append(f"{name} = {source}")
        return name

    def _end(self) -> tuple[str, int]:
        """Return the end of the pieces: a variable, and the bytes after it."""
        if self.sizes:
            end = f"e{len(self.lines)}"
            known = [str(part) for part in (self.place, self.distance) if part]
            self.lines.append(f"{end} = {' + '.join([*known, *self.sizes])}")
            self.place, self.distance, self.sizes = end, 0, []
        return self.place, self.distance

    def _scalar(self, kind: Scalar, value: str, unless: str = "") -> None:
        """Plan to encode a value of one word.

        `unless` turns an expression into one for a value that may be None: ` if v is not None else `.
        """
        self.checks += kind.checks(value, f" and {value} is not None" if unless else "")
        form, parts = kind.encode(value, self.bind)
        self.words.add(form, *(f"{part}{unless}{zero}" if unless else part for part, zero in parts))

    def close_checks(self) -> None:
        """Plan to refuse values that do not fit before anything else is done."""
        self.lines += self.checks
        self.checks.clear()

    def source(self) -> str:
        """Return the expression for all pieces."""
        parts = [p if isinstance(p, str) else p.source(self.bind) for p in self.pieces]
        if len(parts) < 3:
            return " + ".join(parts) or "b''"
        return f"join(({', '.join(parts)}))"

    def compile(
        self,
        kind: ValueType,
        *,
        value: str = "v",
        shown: str = "v",
        path: str = "",
        result: str = "{}",
    ) -> Callable[[object], Any]:
        """Return the encoder, a function of the variable `value`. It returns `result`, with the encoding for the braces.

        Errors refer to `shown` as a value of `kind`, and to its `path`.
        """
        named = f".prefixed({self.bind(path)})" if path else ""
        lines = [*self.lines, f"return {result.format(self.source())}"]
        source = [f"def encode({value}):", " try:", *(f"  {line}" for line in lines)]
        source.append(
            f" except Exception as wrong: raise misfit(kind, {shown}, wrong){named} from None"
        )
        tools = {"misfit": explain_mismatch, "kind": kind, **_TOOLS}
        encode: Callable[[object], Any] = self.run(source, tools)["encode"]
        return encode


def _flat_encoder(kind: ValueType, path: str = "") -> Encoder:
    """Return the encoder of a value without pieces of other sizes, or of a record."""
    plan = EncodingPlan(f"encode {kind.name or 'arguments'}")
    if isinstance(kind, StructType):
        plan.lines += kind.destructuring_source("v")
        plan.members(kind, "v")
    else:
        plan.lines.append("v_0 = v")  # errors show the value as it was
        plan.add(kind, "v_0")
        plan.close_checks()
    return plan.compile(kind, path=path)


def call_encoder(kind: StructType, selector: bytes) -> Callable[[tuple[object, ...]], bytes]:
    """Return the function that encodes a call: the selector, and a tuple of as many arguments as `kind` has members."""
    if not kind.members:
        return lambda args: selector
    plan = EncodingPlan(f"encode {kind.name}")
    if selector:
        plan.words.add(f"{len(selector)}s", plan.bind(selector))
    plan.lines.append(f"{', '.join([f'v_{i}' for i in range(len(kind.members))])}, = v")
    plan.members(kind, "v")
    return plan.compile(kind)


def member_encoder(kind: StructType, path: str) -> Encoder:
    """Return the encoder of a record with a single member; it takes that member. `path` names the record in errors."""
    plan = EncodingPlan(f"encode {kind.name}")
    plan.lines.append("v_0 = v")
    plan.members(kind, "v")
    return plan.compile(kind, shown="(v,)", path=path)


def _items_encoder(kind: ListType) -> Encoder:
    """Return the encoder of a list whose items have a fixed size. There is no call for each of them."""
    plan, item = EncodingPlan(f"encode {kind.name}"), kind.item
    plan.add(item, "v")
    word = plan.source()
    if octet_letters(item):
        steps = [f"words = {plan.bind(words_packer(item))}(values)"]
    elif isinstance(item, Int) and item.fills_bits:
        steps = [f"words = join([{word} for v in plain_numbers(values)])"]
    else:
        plan.close_checks()
        steps = ["words = []", "for v in values:", *(f" {line}" for line in plan.lines)]
        steps += [f" words.append({word})", "words = join(words)"]
    plan.lines = ["if not isinstance(values, (list, tuple)): raise TypeError", *steps]
    plan.pieces = [f"(len(words) // {item.head_size}).to_bytes(32)", "words"]
    return plan.compile(kind, value="values", shown="values")


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
    size = len(raw)
    return size.to_bytes(32) + raw + PADDING[-size & 31]


def _sequence_encoder(kind: ListType) -> Encoder:
    """Return the encoder of a list whose items have different sizes."""
    encode = encoder(kind.item)

    def encode_sequence(values: object) -> bytes:
        if not isinstance(values, list | tuple):
            raise explain_mismatch(kind, values)
        try:
            items = [encode(value) for value in values]
        except Exception as error:
            raise explain_mismatch(kind, values, error) from None
        return len(items).to_bytes(32) + _join_dynamic(items)

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
