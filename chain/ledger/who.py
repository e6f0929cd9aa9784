"""Who is who: the names by which people know accounts and contracts.

A named account has the name it was given, one of the ten well-known accounts its label, a Python contract the name of its
class; the second contract of a class is `Game#2`, and stays that when it is upgraded, unless its new class has another
name. Anything else is a shortened address.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final

from chain import names
from chain.accounts import ACCOUNTS, Account
from chain.hashing import checksum_address
from chain.spec import UPGRADE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chain.code import Program
    from chain.ledger.ledger import Ledger
    from chain.ledger.receipts import Receipt
    from chain.machine.transaction import Call

_LABELS: Final = {bytes(account): account.name for account in ACCOUNTS}


class Who:
    """The names on a chain as it stands."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def account(self, address: bytes) -> str | None:
        return names.read(self._ledger.state, address) or _LABELS.get(address)

    def name(self, address: bytes) -> str | None:
        return self.account(address) or self.contracts.get(address)

    def find(self, name: str, keys: Iterable[Account] = ()) -> bytes | None:
        """Who is called so: an account whose key is at hand, or else any account or contract."""
        own = next((account for account in keys if account.name == name), None)
        there = self._ledger.state.accounts
        now = next((address for address in there if self.name(address) == name), None)
        return own or now or self.former.get(name)

    def show(self, address: bytes) -> str:
        return self.name(address) or short(address)

    @property
    def contracts(self) -> dict[bytes, str]:
        """The Python contracts by address, numbered in the order in which they were made."""
        return self._contracts[0]

    @property
    def former(self) -> dict[str, bytes]:
        """The Python contracts by every name that they have or had."""
        return self._contracts[1]

    @cached_property
    def _contracts(self) -> tuple[dict[bytes, str], dict[str, bytes]]:
        now: dict[bytes, str] = {}
        given: dict[tuple[bytes, str], str] = {}  # to an address, as one of a class
        count: Counter[str] = Counter()
        for receipt in self._ledger.receipts.where(_may_place, ok=True):
            for address, digest in placed(receipt):
                program = self._ledger.program(digest)
                if program is not None:
                    name = program.spec.name
                    if (address, name) not in given:
                        given[address, name] = numbered(name, count)
                    now[address] = given[address, name]
        return now, {name: address for (address, _), name in given.items()}


def _may_place(receipt: Receipt) -> bool:
    return receipt.to is None or bool(receipt.calls) or receipt.data[:4] == UPGRADE.selector


def numbered(name: str, count: Counter[str]) -> str:
    """The name of the next contract of a class, of which `count` have been named."""
    count[name] += 1
    return name if count[name] == 1 else f"{name}#{count[name]}"


def placed(receipt: Receipt) -> Iterator[tuple[bytes, bytes]]:
    """The Python contracts that a transaction made or upgraded, each with the digest of the class that it got."""
    if receipt.ok:
        if receipt.to is None and receipt.program is not None:
            yield bytes(receipt.address), receipt.program.digest
        elif receipt.entry_spec is UPGRADE:
            yield bytes(receipt.address), receipt.data[4:36]
        yield from _placed_by(receipt.calls)


def _placed_by(calls: Sequence[Call]) -> Iterator[tuple[bytes, bytes]]:
    for call in calls:
        if call.failure is None:
            if call.program is not None and call.kind == "create":
                yield call.address, call.program.digest
            elif call.program is not None and call.data[:4] == UPGRADE.selector:
                yield call.address, call.data[4:36]
            yield from _placed_by(call.calls)


def created(receipt: Receipt) -> Iterator[tuple[bytes, Program]]:
    """The Python contracts that a transaction made, itself or on the way."""
    if receipt.to is None and receipt.program is not None:
        yield bytes(receipt.address), receipt.program
    yield from _created_by(receipt.calls)


def _created_by(calls: Sequence[Call]) -> Iterator[tuple[bytes, Program]]:
    for call in calls:
        if call.failure is None:
            if call.kind == "create" and call.program is not None:
                yield call.address, call.program
            yield from _created_by(call.calls)


def short(address: bytes) -> str:
    text = checksum_address(address)
    return f"{text[:6]}…{text[-4:]}"
