"""Checks of arguments from users: whole numbers (wei, gas, time, counts, words), bytes, text, paths and accounts.

Every public function checks its arguments here before it does anything, so a mistake has the same message everywhere: on a
chain in memory, in a file or in a node, and inside a contract. A wrong type is a TypeError, a number out of range a
ValueError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NoReturn, Protocol, TypeAlias, TypeVar

from chain.crypto.address import Address
from chain.values import (
    VARIANTS,
    AddressType,
    OptionalType,
    StructType,
    UnionType,
    ValueType,
    join,
    short_repr,
)

T = TypeVar("T")
WORD: Final = 2**256 - 1  # the greatest number in a storage word, and the greatest amount of wei
GAS: Final = 2**63 - 1
NONCE: Final = 2**64 - 1
FEE: Final = 2**64 - 1  # wei per unit of gas
EXCESS_BLOB_GAS: Final = 2**32 - 1  # a blob would cost more than all wei
LAST_TIME: Final = 2**53 - 1  # the greatest whole number that is exact in every JSON reader
INTERVAL: Final = 10**9  # seconds from one block to the next
BLOCKS: Final = 10**7  # mined in one call: each block stays in memory


class Addressed(Protocol):
    """An object with an address: a handle, an account, a world."""

    @property
    def address(self) -> Address: ...


AccountLike: TypeAlias = bytes | str | Addressed  # text is hex, or the name of an account
Find = Callable[[str], bytes | None]  # the address of a named account, or None
# The address of a value; error texts refer to it by the second argument.
Resolve = Callable[[Any, str], Address]


class Resolver(Protocol):
    """An object that resolves accounts: a chain, its past, or a deployment plan."""

    def address_of(self, account: Any, name: str = "address") -> Address: ...


# Whole numbers


def whole_number(
    value: Any, name: str, highest: int = WORD, lowest: int = 0, unit: str = "", wrong: type[ValueError] = ValueError,
) -> int:  # fmt: skip
    """Return `value` if it is a whole number in the range.

    `name` is the caller's name for it, `wrong` the error to raise if it is out of range.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(_not_whole(value, name, unit))
    if not lowest <= value <= highest:
        raise wrong(
            f"{name} = {short_repr(value)} is not in {lowest}..{_shown(highest)}{unit and f' {unit}'}"
        )
    return int(value)  # plain, even if `value` is an IntEnum


def wei(value: Any, name: str = "value", wrong: type[ValueError] = ValueError) -> int:
    """Check an amount of wei."""
    return whole_number(value, name, unit="wei", wrong=wrong)


def gas_of(value: Any, wrong: type[ValueError] = ValueError) -> int:
    """Check an amount of gas."""
    return whole_number(value, "gas", GAS, wrong=wrong)


def duration(value: object) -> int:
    """Check a number of seconds by which to advance the time."""
    seconds = whole_number(value, "seconds", LAST_TIME, -LAST_TIME)
    if seconds < 0:
        raise ValueError(
            f"time does not run backwards: advance by 0 seconds or more, not {seconds}"
        )
    return seconds


def interval(value: object, name: str = "block_interval") -> int:
    """Check the number of seconds from one block to the next."""
    return whole_number(value, name, INTERVAL, 1, "seconds")


def new_time(value: object, last: int) -> int:
    """Check a timestamp for the next block. `last` is the timestamp of the last one."""
    time = whole_number(value, "timestamp")
    if time < last:
        raise ValueError(
            f"time does not run backwards: the last block is at {last}, not after {time}"
        )
    if time > LAST_TIME:
        raise ValueError(f"the greatest time is {LAST_TIME}: {short_repr(time)} is after it")
    return time


def number_of_blocks(value: object) -> int:
    """Check a number of blocks to be mined."""
    count = whole_number(value, "n", BLOCKS, -WORD)
    if count < 0:
        raise ValueError(f"the number of blocks cannot be negative: mine 0 or more, not {count}")
    return count


def message_limits(time: Any, memory: Any) -> tuple[float | None, int | None]:
    """Check the limits of a message, in seconds and bytes. None is no limit."""
    if time is not None and (type(time) not in (int, float) or not 0 < time <= LAST_TIME):
        raise ValueError(f"time_limit = {short_repr(time)} is neither a number of seconds nor None")
    if memory is not None and (type(memory) is not int or not 0 < memory < 1 << 62):
        raise ValueError(
            f"memory_limit = {short_repr(memory)} is neither a number of bytes nor None"
        )
    return time, memory


def or_none(read: Callable[[str], T]) -> Callable[[str], T | None]:
    """Return a function that reads a word of the command line, and `none` as None."""
    return lambda word: None if word == "none" else read(word)


def read_limits(words: Mapping[str, str | None]) -> dict[str, float | None]:
    """Read the limits of messages, by their names; those without a word are left out."""
    read = {"time": or_none(seconds_of), "memory": or_none(bytes_of)}
    return {name: read[name](word) for name, word in words.items() if word is not None}


def seconds_of(word: str) -> float:
    """Read a number of seconds: 10, 0.5."""
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", word) is None or float(word) == 0:
        raise ValueError(f"{word!r} is not a number of seconds above 0: write 10 or 0.5")
    return float(word)


def bytes_of(word: str) -> int:
    """Read a number of bytes, plain or in a larger unit: 65536, 64K, 512M, 2G."""
    match = re.fullmatch(r"([1-9][0-9]{0,18})([KMG]?)", word, re.IGNORECASE)
    if match is None:
        raise ValueError(f"{word!r} is not a number of bytes: write 65536, 64K, 512M or 2G")
    return int(match[1]) << 10 * " KMG".index(match[2].upper() or " ")


def flag(value: object, name: str) -> bool:
    if value is True or value is False:
        return value
    raise TypeError(f"{name} = {short_repr(value)} is neither True nor False")


def _not_whole(value: object, name: str, unit: str) -> str:
    problem = f"{name} = {short_repr(value)} is not a whole number{unit and f' of {unit}'}"
    remedy = _remedy(value, unit)
    return f"{problem}: {remedy}" if remedy else problem


def _remedy(value: object, unit: str) -> str:
    """Return the text to write instead, or an empty text if that is not clear."""
    if isinstance(value, bool):
        return f"write {int(value)}"
    if isinstance(value, float) and value.is_integer():
        return f"write {_written(int(value))}"
    if isinstance(value, str) and value.strip().isdecimal() and value.isascii():
        return f"write {int(value[:80])}, without quotes"
    if isinstance(value, float | str) and unit == "wei":
        return "one ether is 10**18, half of one 5 * 10**17"
    return ""


def _written(number: int) -> str:
    """Format a number as a person would write it: 10**18, 5 * 10**17, or its digits."""
    digits = str(number)
    zeros = len(digits) - len(digits.rstrip("0"))
    if zeros < 6:
        return digits
    factor = digits[:-zeros]
    return f"10**{zeros}" if factor == "1" else f"{factor} * 10**{zeros}".replace("-1 * ", "-")


def _shown(number: int) -> str:
    power = number.bit_length()
    return f"2**{power} - 1" if power > 32 and number == 2**power - 1 else str(number)


# Bytes, text, files, lists


def raw_bytes(value: object, name: str) -> bytes:
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    is_hex = isinstance(value, str) and value.startswith("0x")
    remedy = ": write bytes.fromhex(…) around the digits after 0x" if is_hex else ""
    raise TypeError(f"{name} = {short_repr(value)} is not bytes{remedy}")


def text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} = {short_repr(value)} is not a text")
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(f"{name} = {short_repr(value)} is not a text that UTF-8 can encode")
    return value


def file_path(value: object, name: str) -> Path:
    """Check the path of a file, which is text or a Path."""
    if not isinstance(value, str | Path):
        raise TypeError(
            f"{name} = {short_repr(value)} is not the path of a file: give a text or a Path"
        )
    path = text(str(value), name)
    if not path or "\0" in path:
        raise ValueError(f"{name} = {value!r} cannot be the path of a file")
    return Path(value)


def items(value: object, name: str) -> list[Any]:
    """Return a list, tuple or set as a list."""
    if not isinstance(value, list | tuple | set | frozenset):
        raise TypeError(f"{name} = {short_repr(value)} is not a list")
    return list(value)


def pairs(value: object, name: str) -> dict[Any, Any]:
    """Return a mapping as a dict; None is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} = {short_repr(value)} is not a dict")
    return dict(value)


def callable_of(value: Any, name: str) -> Callable[..., object]:
    if not callable(value):
        raise TypeError(f"{name} = {short_repr(value)} is not a function")
    return value  # type: ignore[no-any-return]


# Accounts


def address_of(value: Any, name: str = "address", find: Find | None = None) -> Address:
    """Return the address of an account-like value.

    That is an account, a handle, 20 bytes, hex text, or a name that `find` can look up.
    """
    if isinstance(value, Address):
        return value
    if isinstance(value, bytes | bytearray):
        return _sized(bytes(value), name)
    if isinstance(value, str):
        return _from_text(value, name, find)
    inner = _address_in(value)
    if inner is None:
        raise TypeError(
            f"{name} = {short_repr(value)} is not an account:"
            " give an account, a handle, an Address, its text 0x… or a name"
        )
    return _sized(inner, name)


def _address_in(value: object) -> bytes | None:
    """Return the address of an object that has one, such as a handle or a world; None for any other value."""
    inner = None if isinstance(value, type) else getattr(value, "address", None)
    return inner if isinstance(inner, bytes) else None


def _sized(raw: bytes, name: str) -> Address:
    if len(raw) != 20:
        raise ValueError(f"{name} = {short_repr(raw)} has {len(raw)} bytes: an address has 20")
    return Address(raw)


def _from_text(word: str, name: str, find: Find | None) -> Address:
    if word[:2] in ("0x", "0X") or len(word) == 40:  # names are shorter than 40 bytes
        try:
            return Address(word)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    if find is None:
        raise TypeError(
            f"{name} = {short_repr(word)} is a text: only a chain knows accounts by name, so give an Address"
        )
    address = find(word)
    if address is None:
        raise ValueError(f"{name} is {short_repr(word)}: this chain has no account of that name")
    return Address(address)


def with_addresses(kind: ValueType, value: object, path: str, resolve: Resolve) -> object:
    """Return `value` with addresses in place of account-like values.

    A value is replaced where its type has an Address; all others stay as they are. `path` leads to `value`.
    """
    if isinstance(kind, AddressType):
        is_account = isinstance(value, str) or _address_in(value) is not None
        return resolve(value, path) if is_account else value
    parts = kind.split(value)
    if not parts:
        return value
    after = [with_addresses(inner, part, join(path, step), resolve) for step, inner, part in parts]
    if all(new is old for new, (*_, old) in zip(after, parts, strict=True)):
        return value
    match kind:
        case OptionalType() | UnionType():
            return after[0]
        case StructType(cls=cls) if cls in VARIANTS:
            return kind.restore(after)
        case StructType(cls=cls) if cls is not None:
            names = [member.name for member in kind.members]
            return SimpleNamespace(**dict(zip(names, after, strict=True)))  # enough for an encoder
        case _:
            return after if isinstance(value, list) else tuple(after)


def refuse_missing(what: str, address: bytes) -> NoReturn:
    """Refuse a call of `what` at an address without a contract."""
    raise ValueError(
        f"there is no contract at {Address(address)}, so {what} cannot be called there"
    )
