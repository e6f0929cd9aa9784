"""How values look to the outside: the Ethereum contract ABI.

Every kind has a row in three tables: its ABI type, how it is encoded, how it is decoded. Encoding is the busy side, so
`encoder` writes one flat Python function per kind (as `dataclasses` writes `__init__`): a check of all widths, then one
`struct.pack`. Only when that fails does `misfit` walk the value to say which name did not fit. Property tests hold both
directions equal to eth-abi.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from chain.errors import Revert
from chain.hashing import keccak
from chain.kinds import (
    Account,
    Blob,
    Bool,
    Choice,
    Kind,
    Member,
    Option,
    Record,
    Sequence,
    Text,
    zero,
)
from chain.types import Address, FixedBytes, Int

Encoder = Callable[[Any], bytes]
Decoder = Callable[[bytes, int], Any]

_TOP = 2**256
_MINUS = b"\xff" * 24
_PLUS = bytes(24)


class Misfit(Revert):
    """A value does not fit the kind declared for it. `path` leads to the place, as in `board[0].player`."""

    def __init__(self, path: str, wrong: str) -> None:
        super().__init__(f"{path} = {wrong}" if path else wrong)
        self.path, self.wrong = path, wrong

    def under(self, name: str) -> Misfit:
        """The same refusal, seen from further out."""
        dot = "." if self.path and not self.path.startswith("[") else ""
        return Misfit(f"{name}{dot}{self.path}", self.wrong)


class BadData(Revert):
    """Bytes are not a proper ABI encoding of what was declared."""


# What a kind is called


def abi_type(kind: Kind) -> str:
    match kind:
        case Int(bits=bits, signed=signed):
            return f"{'' if signed else 'u'}int{bits}"
        case FixedBytes(size=size):
            return f"bytes{size}"
        case Bool():
            return "bool"
        case Account():
            return "address"
        case Choice():
            return "uint8"
        case Text():
            return "string"
        case Blob():
            return "bytes"
        case Option(item=item):
            return f"(bool,{abi_type(item)})"
        case Sequence(item=item):
            return f"{abi_type(item)}[]"
        case Record(members=members):
            return "(" + ",".join(abi_type(member.kind) for member in members) + ")"


def signature(name: str, members: Iterable[Member]) -> str:
    return f"{name}({','.join(abi_type(member.kind) for member in members)})"


def selector(text: str) -> bytes:
    return keccak(text.encode())[:4]


def json_type(name: str, kind: Kind) -> dict[str, Any]:
    """One parameter as the JSON ABI writes it, tuples with their components."""
    suffix = ""
    while isinstance(kind, Sequence):
        kind, suffix = kind.item, suffix + "[]"
    match kind:
        case Option(item=item):
            parts = [Member("exists", Bool()), Member("value", item)]
        case Record(members=members, cls=cls):
            parts = [Member("" if cls is None else m.name, m.kind) for m in members]
        case _:
            return {
                "name": name,
                "type": abi_type(kind) + suffix,
                "internalType": kind.name + suffix,
            }
    components = [json_type(part.name, part.kind) for part in parts]
    inner = (
        f"struct {kind.name}{suffix}" if isinstance(kind, Record) and kind.cls else "tuple" + suffix
    )
    return {"name": name, "type": "tuple" + suffix, "internalType": inner, "components": components}


def is_dynamic(kind: Kind) -> bool:
    match kind:
        case Text() | Blob() | Sequence():
            return True
        case Option(item=item):
            return is_dynamic(item)
        case Record(members=members):
            return any(is_dynamic(member.kind) for member in members)
        case _:
            return False


def head_size(kind: Kind) -> int:
    """The bytes a value takes in its parent's head: its own, or those of an offset."""
    if is_dynamic(kind):
        return 32
    match kind:
        case Option(item=item):
            return 32 + head_size(item)
        case Record(members=members):
            return sum(head_size(member.kind) for member in members)
        case _:
            return 32


# Encoding


@dataclass
class _Plan:
    """The encoder of one kind while it is being written: pieces of a struct format and of Python source."""

    formats: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)
    tails: list[str] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)

    def put(self, form: str, value: str, check: str = "") -> None:
        self.formats.append(form)
        self.values.append(value)
        if check:
            self.checks.append(check)

    def name(self, thing: Any) -> str:
        key = f"k{len(self.names)}"
        self.names[key] = thing
        return key


@cache
def encoder(kind: Kind) -> Encoder:
    match kind:
        case Text():
            return _encode_text
        case Blob():
            return _encode_blob
        case Sequence(item=item):
            return _sequence_encoder(kind, encoder(item), is_dynamic(item))
        case Option(item=item):
            return _option_encoder(encoder(item), encoder(item)(zero(item)), is_dynamic(item))
        case _:
            return _flat_encoder(kind)


def _flat_encoder(kind: Kind) -> Encoder:
    """Write the encoder of a scalar or record: `struct.pack` of all that is fixed, then the tails."""
    plan = _Plan()
    if isinstance(kind, Record):
        if kind.cls is None:
            plan.checks.append(f"len(v) != {len(kind.members)}")
        for i, member in enumerate(kind.members):
            _plan_member(plan, member.kind, kind.reach("v", i))
    else:
        _plan_member(plan, kind, "v")
    form = struct.Struct(">" + "".join(plan.formats))
    plan.names |= {
        "misfit": misfit,
        "kind": kind,
        "pack": form.pack,
        "Misfit": Misfit,
        "plus": _PLUS,
        "minus": _MINUS,
    }
    lines = ["def encode(v):", " try:"]
    if plan.checks:
        lines += [f"  if {' or '.join(plan.checks)}: raise OverflowError"]
    at = str(form.size)
    for i, tail in enumerate(plan.tails):
        lines += [f"  t{i} = {tail}", f"  o{i} = {at}"]
        at = f"o{i} + len(t{i})"
    tails = "".join(f" + t{i}" for i in range(len(plan.tails)))
    lines += [
        f"  return pack({', '.join(plan.values)}){tails}",
        " except Exception as wrong: raise misfit(kind, v, wrong) from None",
    ]
    exec("\n".join(lines), plan.names)
    made: Encoder = plan.names["encode"]
    return made


def _plan_member(plan: _Plan, kind: Kind, value: str) -> None:
    match kind:
        case Int(bits=bits) if not kind.signed and bits <= 64:
            plan.put("24xQ", value, f"{value} >> {bits}")
        case Int(bits=bits) if kind.signed and bits <= 64:
            plan.put(
                "24sq",
                f"minus if {value} < 0 else plus, {value}",
                f"{value} + {-kind.lowest} >> {bits}",
            )
        case Int():
            plan.put(
                "32s",
                f"({value} & {_TOP - 1}).to_bytes(32)",
                f"not {kind.lowest} <= {value} <= {kind.highest}",
            )
        case Bool():
            plan.put("31x?", value, f"{value} is not True and {value} is not False")
        case Account():
            plan.put("12x20s", value, f"len({value}) != 20")
        case FixedBytes(size=size):
            plan.put(f"{size}s{32 - size}x", value, f"len({value}) != {size}")
        case Choice():
            plan.put("31xB", f"{plan.name(kind.code_of())}[{value}]")
        case Record() if not is_dynamic(kind):
            if kind.cls is None:
                plan.checks.append(f"len({value}) != {len(kind.members)}")
            for i, member in enumerate(kind.members):
                _plan_member(plan, member.kind, kind.reach(value, i))
        case Option() if not is_dynamic(kind):
            plan.put(f"{head_size(kind)}s", f"{plan.name(encoder(kind))}({value})")
        case _:
            plan.put("24xQ", f"o{len(plan.tails)}")
            plan.tails.append(f"{plan.name(encoder(kind))}({value})")


def _encode_text(value: Any) -> bytes:
    try:
        return _with_length(value.encode())
    except (AttributeError, UnicodeEncodeError) as wrong:
        raise misfit(Text(), value, wrong) from None


def _encode_blob(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise misfit(Blob(), value)
    return _with_length(value)


def _with_length(raw: bytes) -> bytes:
    return len(raw).to_bytes(32) + raw + bytes(-len(raw) % 32)


def _sequence_encoder(kind: Kind, encode: Encoder, dynamic: bool) -> Encoder:
    def encode_sequence(values: Any) -> bytes:
        if not isinstance(values, list | tuple):
            raise misfit(kind, values)
        try:
            items = [encode(value) for value in values]
        except Misfit:
            raise misfit(kind, values) from None
        head = len(items).to_bytes(32)
        return head + (_join_dynamic(items) if dynamic else b"".join(items))

    return encode_sequence


def _join_dynamic(items: list[bytes]) -> bytes:
    offsets, at = [], 32 * len(items)
    for item in items:
        offsets.append(at.to_bytes(32))
        at += len(item)
    return b"".join(offsets + items)


def _option_encoder(encode: Encoder, blank: bytes, dynamic: bool) -> Encoder:
    offset = (64).to_bytes(32) if dynamic else b""
    absent, present = bytes(32) + offset + blank, (1).to_bytes(32) + offset

    def encode_option(value: Any) -> bytes:
        return absent if value is None else present + encode(value)

    return encode_option


# Saying what did not fit


def misfit(kind: Kind, value: Any, cause: BaseException | None = None) -> Misfit:
    """The refusal that names the innermost place where `value` is not of its kind."""
    found = _find_misfit(kind, value, "")
    if found is None:
        return Misfit("", f"{_short(value)} cannot be encoded as {kind.name}: {cause!r}")
    path, inner, wrong = found
    return Misfit(path.lstrip("."), f"{_short(wrong)} {_wants(inner)}")


def _find_misfit(kind: Kind, value: Any, path: str) -> tuple[str, Kind, Any] | None:
    match kind:
        case Option(item=item):
            return None if value is None else _find_misfit(item, value, path)
        case Sequence(item=item) if isinstance(value, list | tuple):
            parts = [(item, f"{path}[{i}]", inner) for i, inner in enumerate(value)]
        case Record(cls=None, members=members) if isinstance(value, list | tuple) and len(
            value
        ) == len(members):
            parts = [
                (m.kind, f"{path}[{i}]" if m.name.isdigit() else f"{path}.{m.name}", value[i])
                for i, m in enumerate(members)
            ]
        case Record(members=members, cls=cls) if cls is not None and all(
            hasattr(value, m.name) for m in members
        ):
            parts = [(m.kind, f"{path}.{m.name}", getattr(value, m.name)) for m in members]
        case _:
            return None if _fits(kind, value) else (path, kind, value)
    found = (_find_misfit(inner, part, where) for inner, where, part in parts)
    return next((wrong for wrong in found if wrong is not None), None)


def _fits(kind: Kind, value: Any) -> bool:
    match kind:
        case Int(lowest=lowest, highest=highest):
            return isinstance(value, int) and lowest <= value <= highest
        case FixedBytes(size=size):
            return isinstance(value, bytes) and len(value) == size
        case Account():
            return isinstance(value, bytes) and len(value) == 20
        case Bool():
            return isinstance(value, bool)
        case Choice(cls=cls):
            return isinstance(value, cls)
        case Text():
            return (isinstance(value, str) and value.isprintable()) or _is_utf8(value)
        case Blob():
            return isinstance(value, bytes)
        case _:
            return False


def _is_utf8(value: Any) -> bool:
    try:
        value.encode()
    except (AttributeError, UnicodeEncodeError):
        return False
    return True


def _wants(kind: Kind) -> str:
    match kind:
        case Int(name=name, lowest=lowest, highest=highest) if name != "felt252":
            return f"does not fit {name} ({lowest}..{highest})"
        case FixedBytes(name=name, size=size):
            return f"is not {name} ({size} bytes)"
        case Account():
            return "is not an Address (20 bytes)"
        case _:
            return f"is not {kind.name}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# Decoding


@cache
def decoder(kind: Kind) -> Decoder:
    """A function from (bytes, offset) to a value. Whoever calls it has made sure that the head is there."""
    match kind:
        case Int(signed=True, bits=bits):
            return _signed_decoder(kind, bits)
        case Int(highest=highest):
            return _unsigned_decoder(kind, highest)
        case Bool():
            return _code_decoder(kind, {0: False, 1: True})
        case Choice():
            return _code_decoder(kind, kind.member_of())
        case Account():
            return _decode_address
        case FixedBytes(size=size):
            return _fixed_bytes_decoder(size)
        case Text():
            return _decode_text
        case Blob():
            return _decode_blob
        case Option(item=item):
            return _option_decoder(item)
        case Sequence(item=item, make=make):
            return _sequence_decoder(item, make)
        case Record():
            return _record_decoder(kind)


def decode(kind: Kind, data: bytes) -> Any:
    """Decode `data` as one value of `kind` standing alone, as return data and event data are."""
    _need(data, 0, head_size(kind))
    return _indirect(kind)(data, 0, 0)


def decode_members(members: tuple[Member, ...], data: bytes, start: int = 0) -> list[Any]:
    """Decode what follows `start` as the values of `members`, side by side."""
    return _members_decoder(members)(data, start)


@cache
def _members_decoder(members: tuple[Member, ...]) -> Callable[[bytes, int], list[Any]]:
    """Offsets count from `start`. Every name is added to what goes wrong below it."""
    parts, at = [], 0
    for member in members:
        parts.append((member.name, at, _indirect(member.kind)))
        at += head_size(member.kind)
    size = at

    def decode_all(data: bytes, start: int) -> list[Any]:
        if len(data) < start + size:
            raise BadData(f"{len(data) - start} bytes are too few, {size} at least are needed")
        values = []
        for name, at, read in parts:
            try:
                values.append(read(data, start, start + at))
            except BadData as bad:
                raise BadData(f"{name}: {bad.text}") from None
        return values

    return decode_all


def _indirect(kind: Kind) -> Callable[[bytes, int, int], Any]:
    """Reads a value whose head is at `at` in a body that began at `start`: follows the offset if there is one."""
    read = decoder(kind)
    if not is_dynamic(kind):
        return lambda data, start, at: read(data, at)
    return lambda data, start, at: read(data, start + _word(data, at))


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 32])


def _need(data: bytes, at: int, size: int) -> None:
    if len(data) < at + size:
        raise BadData("the data ends too early")


def _unsigned_decoder(kind: Int, highest: int) -> Decoder:
    def decode_unsigned(data: bytes, at: int) -> int:
        value = int.from_bytes(data[at : at + 32])
        if value > highest:
            raise BadData(f"{value} {_wants(kind)}")
        return value

    return decode_unsigned


def _signed_decoder(kind: Int, bits: int) -> Decoder:
    half = 1 << (bits - 1)

    def decode_signed(data: bytes, at: int) -> int:
        value = int.from_bytes(data[at : at + 32], signed=True)
        if not -half <= value < half:
            raise BadData(f"{value} {_wants(kind)}")
        return value

    return decode_signed


def _code_decoder(kind: Kind, values: dict[int, Any]) -> Decoder:
    def decode_code(data: bytes, at: int) -> Any:
        code = _word(data, at)
        if code not in values:
            raise BadData(f"{code} is not {kind.name}")
        return values[code]

    return decode_code


def _decode_address(data: bytes, at: int) -> Address:
    if any(data[at : at + 12]):
        raise BadData(f"0x{data[at : at + 32].hex()} is not an Address (20 bytes)")
    return Address(data[at + 12 : at + 32])


def _fixed_bytes_decoder(size: int) -> Decoder:
    def decode_fixed(data: bytes, at: int) -> bytes:
        if any(data[at + size : at + 32]):
            raise BadData(f"0x{data[at : at + 32].hex()} is not bytes{size}")
        return data[at : at + size]

    return decode_fixed


def _decode_blob(data: bytes, at: int) -> bytes:
    _need(data, at, 32)
    size = _word(data, at)
    _need(data, at + 32, size)
    return data[at + 32 : at + 32 + size]


def _decode_text(data: bytes, at: int) -> str:
    try:
        return _decode_blob(data, at).decode()
    except UnicodeDecodeError:
        raise BadData("the text is not UTF-8") from None


def _option_decoder(item: Kind) -> Decoder:
    read, flag, size = _indirect(item), decoder(Bool()), 32 + head_size(item)

    def decode_option(data: bytes, at: int) -> Any:
        _need(data, at, size)
        value = read(data, at, at + 32)
        return value if flag(data, at) else None

    return decode_option


def _sequence_decoder(item: Kind, make: Callable[[list[Any]], Any]) -> Decoder:
    read, size = _indirect(item), head_size(item)

    def decode_sequence(data: bytes, at: int) -> Any:
        _need(data, at, 32)
        count, start = _word(data, at), at + 32
        _need(data, start, count * size)
        values = [read(data, start, start + i * size) for i in range(count)]
        return values if make is list else make(values)

    return decode_sequence


def _record_decoder(kind: Record) -> Decoder:
    read, build = _members_decoder(kind.members), kind.cls

    def decode_record(data: bytes, at: int) -> Any:
        values = read(data, at)
        return tuple(values) if build is None else build(*values)

    return decode_record
