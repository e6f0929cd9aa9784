"""What people hand to the chain, checked in one way: whole numbers (wei, gas, time, counts, words) and accounts.

Every public border asks here before it does anything, so a mistake is told by one sentence wherever it is made: on a chain in
memory, in a file or in a node, and inside a contract. A wrong type is a TypeError, a number out of range a ValueError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Final, NoReturn, Protocol, TypeAlias

from chain.schema.validation import (
    join,
    short_repr,
)
from chain.schema.value_types import (
    AddressType,
    ListType,
    OptionalType,
    StructType,
    ValueType,
)
from chain.types import Address

WORD: Final = 2**256 - 1  # the greatest number in a word of storage, and the most wei
GAS: Final = 2**63 - 1
NONCE: Final = 2**64 - 1
FEE: Final = 2**64 - 1  # wei for a unit of gas
LAST_TIME: Final = 2**53 - 1  # the last whole number that JSON is sure of
INTERVAL: Final = 10**9  # seconds from a block to the next
BLOCKS: Final = 10**7  # mined at once: each of them stays in memory


class Addressed(Protocol):
    """A handle, an account, a world."""

    @property
    def address(self) -> Address: ...


AccountLike: TypeAlias = bytes | str | Addressed  # text is hex, or a name that the chain knows
Find = Callable[[str], bytes | None]  # the address that goes by a name
Resolve = Callable[[Any, str], Address]  # the address of what stands for an account


class Resolver(Protocol):
    """A chain, its past, or a plan for one."""

    def address_of(self, account: Any, name: str = "address") -> Address: ...


# Whole numbers


def whole_number(
    value: Any, name: str, highest: int = WORD, lowest: int = 0, unit: str = "", wrong: type[ValueError] = ValueError,
) -> int:  # fmt: skip
    """`value`, if it is a whole number in this range; `name` is what the caller knows it by."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(_not_whole(value, name, unit))
    if not lowest <= value <= highest:
        raise wrong(
            f"{name} = {short_repr(value)} is not in {lowest}..{_shown(highest)}{unit and f' {unit}'}"
        )
    return int(value)  # an IntEnum and its like stay outside


def wei(value: Any, name: str = "value", wrong: type[ValueError] = ValueError) -> int:
    return whole_number(value, name, unit="wei", wrong=wrong)


def gas_of(value: Any, name: str = "gas", wrong: type[ValueError] = ValueError) -> int:
    return whole_number(value, name, GAS, wrong=wrong)


def duration(value: Any, name: str = "seconds") -> int:
    """So many seconds, from now on."""
    seconds = whole_number(value, name, LAST_TIME, -LAST_TIME)
    if seconds < 0:
        raise ValueError(
            f"time does not run backwards: advance by 0 seconds or more, not {seconds}"
        )
    return seconds


def interval(value: Any, name: str = "block_interval") -> int:
    """Seconds from a block to the next."""
    return whole_number(value, name, INTERVAL, 1, "seconds")


def new_time(value: Any, last: int, name: str = "timestamp") -> int:
    """A time for the next block, where the last one has the time `last`."""
    time = whole_number(value, name)
    if time < last:
        raise ValueError(
            f"time does not run backwards: the last block is at {last}, not after {time}"
        )
    if time > LAST_TIME:
        raise ValueError(f"time ends at {LAST_TIME}: {short_repr(time)} is after it")
    return time


def number_of_blocks(value: Any, name: str = "n") -> int:
    """So many blocks to be mined."""
    count = whole_number(value, name, BLOCKS, -WORD)
    if count < 0:
        raise ValueError(f"blocks cannot be taken back: mine 0 or more, not {count}")
    return count


def flag(value: Any, name: str) -> bool:
    if value is True or value is False:
        return value
    raise TypeError(f"{name} = {short_repr(value)} is neither True nor False")


def _not_whole(value: Any, name: str, unit: str) -> str:
    what = f"{name} = {short_repr(value)} is not a whole number{unit and f' of {unit}'}"
    remedy = _remedy(value, unit)
    return f"{what}: {remedy}" if remedy else what


def _remedy(value: Any, unit: str) -> str:
    """What to write instead, where that shows."""
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
    """A number as one writes it: 10**18, 5 * 10**17, or its digits."""
    digits = str(number)
    zeros = len(digits) - len(digits.rstrip("0"))
    if zeros < 6:
        return digits
    first = digits[:-zeros]
    return f"10**{zeros}" if first == "1" else f"{first} * 10**{zeros}".replace("-1 * ", "-")


def _shown(number: int) -> str:
    power = number.bit_length()
    return f"2**{power} - 1" if power > 32 and number == 2**power - 1 else str(number)


# Bytes, text, files, lists


def raw_bytes(value: Any, name: str) -> bytes:
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    hexed = isinstance(value, str) and value.startswith("0x")
    remedy = ": write bytes.fromhex(…) around the digits after 0x" if hexed else ""
    raise TypeError(f"{name} = {short_repr(value)} is not bytes{remedy}")


def text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} = {short_repr(value)} is not a text")
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(f"{name} = {short_repr(value)} is not a text that UTF-8 can write")
    return value


def file_path(value: Any, name: str) -> Path:
    """The place of a file, as text or as a Path."""
    if not isinstance(value, str | Path):
        raise TypeError(
            f"{name} = {short_repr(value)} is not the path of a file: give a text or a Path"
        )
    word = text(str(value), name)
    if not word or "\0" in word:
        raise ValueError(f"{name} = {value!r} cannot be the path of a file")
    return Path(value)


def items(value: Any, name: str) -> list[Any]:
    """Several things, in a list or the like."""
    if not isinstance(value, list | tuple | set | frozenset):
        raise TypeError(f"{name} = {short_repr(value)} is not a list")
    return list(value)


def pairs(value: Any, name: str) -> dict[Any, Any]:
    """What stands for what: a dict, or nothing."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} = {short_repr(value)} is not a dict")
    return dict(value)


def callable_of(value: Any, name: str) -> Callable[..., Any]:
    if not callable(value):
        raise TypeError(f"{name} = {short_repr(value)} is not a function")
    return value  # type: ignore[no-any-return]


# Accounts


def address_of(value: Any, name: str = "address", find: Find | None = None) -> Address:
    """The address of what stands for an account: an account, a handle, 20 bytes, hex text, a name that `find` knows."""
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


def _address_in(value: Any) -> bytes | None:
    """The address that a handle, a world or the like has."""
    inner = None if isinstance(value, type) else getattr(value, "address", None)
    return inner if isinstance(inner, bytes) else None


def _sized(raw: bytes, name: str) -> Address:
    if len(raw) != 20:
        raise ValueError(f"{name} = {short_repr(raw)} has {len(raw)} bytes: an address has 20")
    return Address(raw)


def _from_text(word: str, name: str, find: Find | None) -> Address:
    if word[:2] in ("0x", "0X") or len(word) == 40:  # no name is so long
        try:
            return Address(word)
        except ValueError as wrong:
            raise ValueError(f"{name}: {wrong}") from None
    if find is None:
        raise TypeError(
            f"{name} = {short_repr(word)} is a text: only a chain knows accounts by name, so give an Address"
        )
    found = find(word)
    if found is None:
        raise ValueError(f"{name} is {short_repr(word)}: nobody on this chain is called so")
    return Address(found)


def with_addresses(kind: ValueType, value: Any, path: str, resolve: Resolve) -> Any:
    """`value` with an Address wherever its kind has one and something else stands for it; the rest as it is."""
    match kind:
        case AddressType():
            stands = isinstance(value, str) or _address_in(value) is not None
            return resolve(value, path) if stands else value
        case OptionalType(item=item):
            return None if value is None else with_addresses(item, value, path, resolve)
        case ListType(item=item) if isinstance(value, list | tuple):
            parts = (
                with_addresses(item, each, f"{path}[{i}]", resolve) for i, each in enumerate(value)
            )
            return type(value)(parts) if type(value) in (list, tuple) else list(parts)
        case StructType(cls=None, members=members) if isinstance(value, list | tuple) and len(
            value
        ) == len(members):
            pairs = zip(members, value, strict=True)
            return tuple(
                with_addresses(m.kind, each, f"{path}[{m.name}]", resolve) for m, each in pairs
            )
        case StructType(cls=cls, members=members) if cls is not None and is_dataclass(value):
            return _record(value, members, path, resolve)
    return value


def _record(value: Any, members: Any, path: str, resolve: Resolve) -> Any:
    """A record whose members may be of the author's class or of the like of it; itself where nothing changes."""
    had = {member.name: getattr(value, member.name, None) for member in members}
    now = {
        m.name: with_addresses(m.kind, had[m.name], join(path, m.name), resolve) for m in members
    }
    if all(now[name] is had[name] for name in had):
        return value
    return _Like(now)


class _Like:
    """Members without a class, which is all that an encoder asks of a record."""

    def __init__(self, members: Mapping[str, Any]) -> None:
        vars(self).update(members)


def refuse_missing(what: str, address: bytes) -> NoReturn:
    """A call of a contract where none is."""
    raise ValueError(
        f"there is no contract at {Address(address)}, so {what} cannot be called there"
    )
