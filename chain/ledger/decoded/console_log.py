"""The texts of `console.log` in Solidity: static calls to an address without code, as Hardhat and Foundry send them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Final

from chain import abi
from chain.abi.json_abi import fields_from_json
from chain.crypto.hashing import keccak
from chain.ledger.calls import CallRow
from chain.values import Field

CONSOLE: Final = bytes(9) + b"console.log"
_KINDS: Final = ("uint256", "string", "bool", "address")
_MOST: Final = 4  # arguments
_ALONE: Final = ("int256", "bytes", *(f"bytes{size}" for size in range(1, 33)))
_PLACE: Final = re.compile("%[sdio]")


def console_texts(rows: Iterable[CallRow]) -> Iterator[str]:
    """Yield the texts among the messages of a transaction, also those of messages that failed."""
    for _, address, _, _, data, *_ in rows:
        members = _members().get(data[:4]) if address == CONSOLE else None
        if members is not None:
            try:
                yield _text([_shown(value) for value in abi.decode_members(members, data[4:])])
            except abi.BadData:
                continue


@cache
def _members() -> dict[bytes, tuple[Field, ...]]:
    """Return the arguments of each overload by its selector."""
    mixed = [kinds for count in range(_MOST + 1) for kinds in product(_KINDS, repeat=count)]
    return {
        keccak(f"log({','.join(kinds)})".encode())[:4]: fields_from_json(
            [{"name": f"_{index}", "type": kind} for index, kind in enumerate(kinds)]
        )
        for kinds in (*mixed, *((kind,) for kind in _ALONE))
    }


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"0x{value.hex()}" if type(value) is bytes else str(value)


def _text(parts: Sequence[str]) -> str:
    """Return the arguments as one text: the first takes others where it has `%s` or such, the rest follow."""
    if not parts:
        return ""
    first, *others = parts
    rest = iter(others)
    filled = _PLACE.sub(lambda place: next(rest, place[0]), first)
    return " ".join([filled, *rest])
