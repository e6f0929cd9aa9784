"""Decoding of ABI bytes into values.

The bytes are not trusted. The tails of dynamic values are accepted only in order and without overlap, as every encoder writes
them. So nothing is read twice, and the work is bounded by the length of the data.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import field
from functools import cache
from typing import Any, Final, NoReturn

from chain.errors import Revert
from chain.foundation.dataclass import dataclass
from chain.schema.codegen import SourceBuilder
from chain.schema.scalars import FLAGS, RawScalar
from chain.schema.validation import join
from chain.schema.value_types import (
    BoolType,
    BytesType,
    Field,
    Int,
    ListType,
    OptionalType,
    Scalar,
    StringType,
    StructType,
    ValueType,
)

Decoder = Callable[[bytes, int], Any]

_ZEROS: Final = bytes(24)  # the upper bytes of an offset or a flag


class BadData(Revert):
    """The bytes are not a valid ABI encoding of the declared type."""


@cache
def decoder(kind: ValueType) -> Decoder:
    """Return a function from (bytes, offset) to the value whose body is at the offset. It raises `BadData`."""
    if isinstance(kind, StructType):  # arguments, most often, which every call has
        plan = _Plan(_title(kind))
        return plan.compile(plan.record(kind), kind)
    read, dynamic = _reader(kind), kind.is_dynamic

    def decode_one(data: bytes, at: int) -> object:
        try:
            result = read(data, at)
        except MemoryError:
            raise
        except Exception as error:
            raise _blame(kind, data, at, error) from None
        return result[0] if dynamic else result

    return decode_one


def decode(kind: ValueType, data: bytes) -> object:
    """Decode `data` as a single value of `kind`, such as return data."""
    return decode_members((Field("", kind),), data)[0]


def decode_members(members: tuple[Field, ...], data: bytes, start: int = 0) -> tuple[object, ...]:
    """Decode the bytes from `start` on as the values of `members`, side by side."""
    return members_decoder(members)(data, start)


@cache
def members_decoder(members: tuple[Field, ...]) -> Callable[[bytes, int], tuple[object, ...]]:
    """Return the function behind `decode_members`, for callers that use it often."""
    return decoder(StructType("", members)) if members else lambda data, start: ()


# Generated readers. That of a static type returns the value, that of a dynamic type the value and the end of its data.
# Any exception means bad data.


@dataclass
class _Plan(SourceBuilder):
    """A decoder that is being generated: the format of one `struct.unpack`, and source that makes values of its results."""

    formats: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    tails: list[tuple[str, str]] = field(default_factory=list)  # offset, reader

    def target(self, form: str) -> str:
        """Add an item to the format, and return the variable that receives it."""
        self.formats.append(form)
        self.targets.append(f"t{len(self.targets)}")
        return self.targets[-1]

    def small(self, guard: str) -> str:
        """Add a word of which only the last 8 bytes may be non-zero, and return the variable with their number."""
        self.check(f"{self.target('24s')} != zeros", guard)
        return self.target("Q")

    def check(self, wrong: str, guard: str) -> None:
        """Refuse the data if the source `wrong` is true; with a `guard`, only if that is true too."""
        self.checks.append(f"{guard} and ({wrong})" if guard else wrong)

    def add(self, kind: ValueType, guard: str = "") -> str:
        """Plan to read a value, and return the expression for it.

        If the source `guard` is false at run time, the value is absent and its bytes may be anything.
        """
        if kind.is_dynamic:
            self.tails.append((self.small(guard), self.bind(_reader(kind))))
            return f"x{len(self.tails) - 1}"
        match kind:
            case Scalar():
                return kind.decode(self, guard)
            case OptionalType(item=item):
                flag = self.small(guard)
                self.check(f"{flag} > 1", guard)
                inner = self.add(item, f"{guard} and {flag}" if guard else flag)
                return f"({inner} if {flag} else None)"
            case StructType():
                return self.record(kind, guard)
            case _:
                raise AssertionError(kind)

    def record(self, kind: StructType, guard: str = "") -> str:
        """Plan to read the members of a record, and return the expression for it."""
        parts = [self.add(part, guard) for part in kind.parts]
        return kind.construction_source(self.bind(kind.maker), parts)

    def compile(self, value: str, kind: ValueType | None = None) -> Callable[[bytes, int], Any]:
        """Return a reader of the value at an offset, together with its tails. With a `kind` it is what `decoder` returns."""
        form = struct.Struct(">" + "".join(self.formats))
        lines = [f"({', '.join(self.targets)},) = unpack(data, at)"]
        lines += [f"if {' or '.join(self.checks)}: fail()"] if self.checks else []
        end = f"at + {form.size}"
        for i, (offset, read) in enumerate(self.tails):
            lines.append(f"if at + {offset} < {end}: fail()")
            lines.append(f"x{i}, e{i} = {read}(data, at + {offset})")
            end = f"e{i}"
        lines.append(f"return {value}, {end}" if self.tails and not kind else f"return {value}")
        if kind:
            explained = f"raise blame({self.bind(kind)}, data, at, error) from None"
            lines = ["try:", *(f" {line}" for line in lines), "except MemoryError: raise"]
            lines.append(f"except Exception as error: {explained}")
        return self._run(form, ["def read(data, at):", *(f" {line}" for line in lines)])

    def compile_each(self, value: str) -> Callable[[bytes], list[Any]]:
        """Return a reader of values side by side, without a function call for each of them."""
        form = struct.Struct(">" + "".join(self.formats))
        fields = f"({', '.join(self.targets)},)"
        checked = f"fail() if {' or '.join(self.checks)} else {value}" if self.checks else value
        line = f" return [{checked} for {fields} in each(data)]"
        return self._run(form, ["def read(data):", line])

    def _run(self, form: struct.Struct, lines: list[str]) -> Callable[..., Any]:
        tools = {
            "zeros": _ZEROS,
            "unpack": form.unpack_from,
            "each": form.iter_unpack,
            "fail": _fail,
            "blame": _blame,
        }
        reader: Callable[..., object] = self.run(lines, tools)["read"]
        return reader


def _fail() -> NoReturn:
    raise ValueError


@cache
def _reader(kind: ValueType) -> Decoder:
    """Return the function that reads values of `kind`: the value, with the end of its data if the type is dynamic."""
    match kind:
        case StringType():
            return _read_text
        case BytesType():
            return _read_blob
        case ListType(item=item, make=make):
            return _dynamic_items(item, make) if item.is_dynamic else _static_items(item, make)
        case OptionalType(item=item) if kind.is_dynamic:
            return _option_reader(_reader(item))
        case StructType():
            plan = _Plan(_title(kind))
            return plan.compile(plan.record(kind))
        case _:
            plan = _Plan(_title(kind))
            return plan.compile(plan.add(kind))


def _title(kind: ValueType) -> str:
    return f"decode {kind.name or 'arguments'}"


def _read_blob(data: bytes, at: int) -> tuple[bytes, int]:
    start = at + 32
    end = start + int.from_bytes(data[at:start])
    if end > len(data):
        _fail()
    return data[start:end], end


def _read_text(data: bytes, at: int) -> tuple[str, int]:
    raw, end = _read_blob(data, at)
    return raw.decode(), end


def _option_reader(read: Decoder) -> Decoder:
    unpack = struct.Struct(">32s24sQ").unpack_from

    def read_option(data: bytes, at: int) -> tuple[object, int]:
        word, upper, offset = unpack(data, at)
        if not FLAGS[word]:
            return None, at + 64
        if upper != _ZEROS or offset < 64:
            _fail()
        result: tuple[object, int] = read(data, at + offset)
        return result

    return read_option


def _static_items(item: ValueType, make: Callable[[list[object]], object]) -> Decoder:
    plan = _Plan(f"decode {item.name}")
    read, size, is_list = plan.compile_each(plan.add(item)), item.head_size, make is list

    def read_items(data: bytes, at: int) -> tuple[object, int]:
        start = at + 32
        end = start + size * int.from_bytes(data[at:start])
        if end > len(data):
            _fail()
        values = read(data[start:end])
        return values if is_list else make(values), end

    return read_items


def _dynamic_items(item: ValueType, make: Callable[[list[object]], object]) -> Decoder:
    read = _reader(item)

    def read_items(data: bytes, at: int) -> tuple[object, int]:
        start = at + 32
        end = heads = start + 32 * int.from_bytes(data[at:start])
        if end > len(data):
            _fail()
        values = []
        for head in range(start, heads, 32):
            position = start + int.from_bytes(data[head : head + 32])
            if position < end:
                _fail()
            value, end = read(data, position)
            values.append(value)
        return make(values), end

    return read_items


# Explaining an error: the same data is read again, step by step


def _blame(kind: ValueType, data: bytes, at: int, cause: Exception) -> BadData:
    try:
        _walk(kind, data, at, "")
    except BadData as bad:
        return bad
    return BadData(f"the data cannot be read: {cause!r}")


def _walk(kind: ValueType, data: bytes, at: int, path: str) -> int:
    """Read a value and return the end of its body, or raise a `BadData` with the path to the part that is wrong."""
    match kind:
        case StructType(members=members, cls=cls):
            names = [join(path, f"[{m.name}]" if m.name.isdigit() else m.name) for m in members]
            parts = list(zip(names, (m.kind for m in members), strict=True))
            end = _walk_side_by_side(parts, data, at, path)
            if cls is not None:
                _make(kind, data, at, path)
            return end
        case OptionalType(item=item):
            _walk_side_by_side([(path, BoolType())], data, at, path)
            if not _word(data, at):
                _need(data, at, kind.body_size, path)
                return at + kind.body_size
            return _walk_side_by_side([(path, BoolType()), (path, item)], data, at, path)
        case ListType(item=item):
            _need(data, at, 32, path)
            count = _word(data, at)
            _need(data, at + 32, count * item.head_size, path)
            items = [(f"{path}[{i}]", item) for i in range(count)]
            return _walk_side_by_side(items, data, at + 32, path)
        case StringType() | BytesType():
            _need(data, at, 32, path)
            _need(data, at + 32, _word(data, at), path)
            _make(kind, data, at, path)
            return at + 32 + _word(data, at)
        case _:
            _need(data, at, 32, path)
            _make(kind, data, at, path)
            return at + 32


def _walk_side_by_side(parts: list[tuple[str, ValueType]], data: bytes, at: int, path: str) -> int:
    """Read values side by side, each with its path and type, and return the end of their data."""
    sizes = [value_type.head_size for _, value_type in parts]
    _need(data, at, sum(sizes), path)
    head, end = at, at + sum(sizes)
    for (name, value_type), size in zip(parts, sizes, strict=True):
        if value_type.is_dynamic:
            position = at + _word(data, head)
            if position < end:
                raise _bad(name, "its data overlap the data before them")
            end = _walk(value_type, data, position, name)
        else:
            _walk(value_type, data, head, name)
        head += size
    return end


def _make(kind: ValueType, data: bytes, at: int, path: str) -> None:
    """Construct the value, whose parts were found valid."""
    try:
        _reader(kind)(data, at)
    except MemoryError:
        raise
    except Exception as error:
        match kind:
            case StringType():
                raise _bad(path, "the text is not UTF-8") from None
            case StructType():
                raise _bad(path, str(error) or repr(error)) from None
        raise BadData(_short_text(kind, data[at : at + 32], path)) from None


def _short_text(kind: ValueType, word: bytes, path: str) -> str:
    signed = isinstance(kind, Int) and (kind.signed or kind.highest.bit_length() < 255)
    number = int.from_bytes(word, signed=signed)  # 2^256-1 sent as a u8 most likely meant -1
    value = f"0x{word.hex()}" if isinstance(kind, RawScalar) else str(number)
    return f"{path} = {value} {kind.expectation()}" if path else f"{value} {kind.expectation()}"


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 32])


def _need(data: bytes, at: int, size: int, path: str) -> None:
    """Refuse if fewer than `size` bytes follow `at`."""
    if len(data) < at + size:
        raise _bad(path, f"{max(len(data) - at, 0)} bytes are too few, {_large(size)} are needed")


def _large(number: int) -> str:
    return str(number) if number < 2**64 else f"2^{number.bit_length() - 1} or more"


def _bad(path: str, wrong: str) -> BadData:
    return BadData(f"{path}: {wrong}" if path else wrong)
