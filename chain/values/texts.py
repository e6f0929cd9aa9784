"""Types of bytes and texts: `bytes4` to `bytes32`, `Address`, `str` and `bytes`."""

from __future__ import annotations

from typing import Any

from chain.crypto.address import ZERO_ADDRESS, Address
from chain.foundation.dataclass import dataclass
from chain.values.kind import (
    HEX,
    Encoder,
    FindAddress,
    MemoTable,
    ReadableWords,
    Reading,
    ValueType,
    misfit,
    need,
    word_at,
)
from chain.values.mismatch import BadData, ParseError, bad_data
from chain.values.numbers import Scalar
from chain.values.source import Item, Source, fail, generated


def hex_bytes(text: str) -> bytes:
    """Return the bytes that are written as hex after `0x`."""
    try:
        if text.startswith("0x"):
            return bytes.fromhex(text[2:])
    except ValueError:
        pass
    raise ValueError("write it as hex, 0x12ab")


class RawScalar(Scalar):
    """A type of `size` bytes."""

    column = HEX

    def written_word(self, word: bytes) -> str:
        return f"0x{word.hex()}"


@dataclass(frozen=True)
class FixedBytes(RawScalar):
    """The type of exactly `size` bytes."""

    name: str
    size: int

    @property
    def zero(self) -> bytes:
        return bytes(self.size)

    @property
    def abi_type(self) -> str:
        return self.name

    def expectation(self, value: object = 0) -> str:
        return f"is not {self.name} ({self.size} bytes)"

    def parse(self, text: str) -> bytes:
        return hex_bytes(text)

    def item(self, source: Source, value: str) -> Item:
        return f"{self.size}s", f"({value} if len({value}) == {self.size} else fail())"

    def flat(self, source: Source, value: str) -> list[Item]:
        form, item = self.item(source, value)
        return [(f"{form}{32 - self.size}x", item)]

    def decoded(self, reading: Reading, guard: str) -> str:
        value, rest = reading.target(f"{self.size}s"), 32 - self.size
        if rest:
            reading.check(f"{reading.target(f'{rest}s')} != {reading.bind(bytes(rest))}", guard)
        return value

    def unpacked(self, source: Source, number: str) -> str:
        return f"{number}.to_bytes({self.size})"


@dataclass(frozen=True)
class AddressType(RawScalar):
    name: str = "Address"
    size: int = 20

    zero, abi_type = ZERO_ADDRESS, "address"

    def expectation(self, value: object = 0) -> str:
        return "is not an Address (20 bytes)"

    def from_json(self, value: Any, path: str, find: FindAddress = Address) -> Any:
        if not isinstance(value, str):
            raise self.misread(value, path)
        try:
            return find(value)
        except (ValueError, TypeError, LookupError) as problem:
            raise ParseError(f"{path}: {problem}") from None

    def parse(self, text: str) -> Address:
        return Address(text)

    def item(self, source: Source, value: str) -> Item:
        sized = f"{value}.__class__ is Address or len({value}) == 20"
        return "20s", f"({value} if {sized} else fail())"

    def decoded(self, reading: Reading, guard: str) -> str:
        reading.check(f"{reading.target('12s')} != {reading.bind(bytes(12))}", guard)
        return f"make(Address, {reading.target('20s')})"

    def unpacked(self, source: Source, number: str) -> str:
        return f"make(Address, {number}.to_bytes(20))"


class Dynamic(ValueType):
    """A type without a fixed size: its own word has a length, and its content is at the keccak of the slot."""

    is_dynamic = True
    is_fixed = False
    size = None


class Blob(Dynamic):
    """Bytes of any length: up to 31 share a word with twice their length, longer ones are at its keccak."""

    def raw(self, value: Any) -> bytes:
        """Return the bytes of a value, or raise."""
        raise AssertionError(self)

    def made(self, raw: bytes) -> Any:
        """Return the value of these bytes, or raise."""
        raise AssertionError(self)

    @generated
    def key(self) -> Encoder:
        source = self.source("hash")
        return source.function("v", f"{source.bind(self.raw)}(v)", misfit(source, self))

    def key_of(self, key: bytes) -> Any:
        return self.made(key)

    def encoded(self, source: Source, value: str) -> str:
        raw = source.var(f"{source.bind(self.raw)}({value})")
        return f"{source.bind(with_length)}({raw})"

    @generated
    def read(self) -> Any:
        made = self.made

        def read(data: bytes, at: int) -> tuple[object, int]:
            start = at + 32
            end = start + int.from_bytes(data[at:start])
            if end > len(data):
                fail()
            return made(data[start:end]), end

        return read

    def walk(self, data: bytes, at: int, path: str) -> int:
        need(data, at, 32, path)
        need(data, at + 32, word_at(data, at), path)
        self.construct(data, at, path)
        return at + 32 + word_at(data, at)

    def complaint(self, word: bytes, path: str, error: Exception) -> BadData:
        return bad_data(path, "the text is not UTF-8")

    def put(self, source: Source, value: str, slot: str) -> None:
        raw = source.var(f"{source.bind(self.raw)}({value})")
        source.lines.append(f"{source.bind(_put_raw)}({raw}, {slot}, content, out)")

    def loaded(self, source: Source, slot: str) -> str:
        short: MemoTable[int, Any] = MemoTable(
            lambda word: self.made(word.to_bytes(32)[: (word & 0xFF) >> 1])
        )

        def load_long(frame: ReadableWords, slot: int, word: int) -> Any:
            size, base = word >> 1, frame.data_slot(slot)
            raw = b"".join([frame.sload(base + i).to_bytes(32) for i in range(-(-size // 32))])
            return self.made(raw[:size])

        word = source.var(f"sload({slot})")
        long = f"{source.bind(load_long)}(frame, {slot}, {word})"
        return f"({long} if {word} & 1 else {source.bind(short)}[{word}])"

    def used(self, frame: ReadableWords, slot: int) -> list[int]:
        word = frame.sload(slot)
        if not word & 1:
            return [slot]
        base = frame.data_slot(slot)
        return [slot, *range(base, base - (-(word >> 1) // 32))]


def with_length(raw: bytes) -> bytes:
    """Return bytes as the ABI encodes them: their length, then the bytes padded to full words."""
    size = len(raw)
    return size.to_bytes(32) + raw + bytes(-size & 31)


def _put_raw(raw: bytes, slot: int, content: Any, out: dict[int, int]) -> None:
    size = len(raw)
    if size < 32:
        out[slot] = int.from_bytes(raw.ljust(32, b"\0")) | size << 1
        return
    out[slot], base = size << 1 | 1, content(slot)
    for i in range(0, size, 32):
        out[base + i // 32] = int.from_bytes(raw[i : i + 32].ljust(32, b"\0"))


@dataclass(frozen=True)
class StringType(Blob):
    name: str = "str"

    zero, abi_type = "", "string"

    def raw(self, value: Any) -> bytes:
        return str.encode(value)

    def made(self, raw: bytes) -> str:
        return raw.decode()

    def expectation(self, value: object = 0) -> str:
        return "is not text that UTF-8 can encode" if isinstance(value, str) else "is not str"

    def parse(self, text: str) -> str:
        return text


@dataclass(frozen=True)
class BytesType(Blob):
    name: str = "bytes"

    zero, abi_type, column = b"", "bytes", HEX

    def made(self, raw: bytes) -> bytes:
        return raw

    def raw(self, value: Any) -> bytes:
        return bytes(value) if isinstance(value, bytes | bytearray) else fail()

    def parse(self, text: str) -> bytes:
        return hex_bytes(text)
