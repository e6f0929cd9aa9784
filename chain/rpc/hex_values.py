"""Numbers and bytes in JSON-RPC: a quantity is `0x1f`, data are `0x` and two digits per byte.

Input is read leniently: plain numbers and bytes are accepted too, as in-process clients pass them. The parameter `what` of the
readers names the value in error messages.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from chain.rpc.errors import bad_params

_HEX: Final = re.compile("0[xX][0-9a-fA-F]+")
_WORD_DIGITS: Final = 66  # of 32 bytes, with 0x


def quantity(number: int) -> str:
    return hex(number)


def data(raw: bytes) -> str:
    return "0x" + raw.hex()


def word(number: int) -> str:
    return f"0x{number:064x}"


def to_object(value: object, what: str) -> Mapping[str, Any]:
    if type(value) is not dict and not isinstance(value, Mapping):
        raise bad_params(f"{what} is {value!r}; it must be an object")
    return value


def known_fields(value: object, names: Collection[str], what: str) -> dict[str, Any]:
    """Read an object, and refuse it if it has other fields than `names`. Those that are null are left out."""
    fields = to_object(value, what)
    for name in fields:
        if name not in names:
            raise bad_params(f"{what} has no field {name!r}: there are {', '.join(names)}")
    return {name: field for name, field in fields.items() if field is not None}


def to_bool(value: object, what: str) -> bool:
    if not isinstance(value, bool):
        raise bad_params(f"{what} is {value!r}; it must be true or false")
    return value


def to_list(value: object, what: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise bad_params(f"{what} are {value!r}; they must be a list")
    return list(value)


def to_int(value: object, what: str, bits: int = 256) -> int:
    """Read a quantity that is not negative and has at most `bits` bits."""
    number = value
    if isinstance(value, str):
        number = int(value, 16) if _HEX.fullmatch(value) else None
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise bad_params(f"{what} is {value!r}; a quantity looks like 0x1f")
    if number >> bits:
        raise bad_params(f"{what} is too large: it has at most {bits} bits")
    return number


def to_slot(value: object) -> int:
    """Read the number of a word in storage, of at most 32 bytes even where they are zeros."""
    if isinstance(value, str) and len(value) > _WORD_DIGITS:
        raise bad_params("the slot is too long: it has at most 32 bytes")
    return to_int(value, "the slot")


def to_bytes(value: object, what: str) -> bytes:
    if isinstance(value, str) and value.startswith("0x"):
        try:
            return bytes.fromhex(value[2:])
        except ValueError:
            pass
    elif isinstance(value, bytes | bytearray):
        return bytes(value)
    raise bad_params(f"{what} is {value!r}; bytes look like 0x12ab, two digits each")


def to_address(value: object, what: str = "the address") -> bytes:
    return _sized(value, what, 20)


def to_hash(value: object, what: str = "the hash") -> bytes:
    return _sized(value, what, 32)


def _sized(value: object, what: str, size: int) -> bytes:
    raw = to_bytes(value, what)
    if len(raw) != size:
        raise bad_params(f"{what} has {len(raw)} bytes, not {size}: {value!r}")
    return raw
