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

from chain.accounts import (
    ACCOUNTS,
    Account,
)
from chain.crypto.hashing import checksum_address
from chain.runtime import account_names
from chain.spec.contracts import UPGRADE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chain.ledger.ledger import Ledger
    from chain.ledger.receipts import Receipt
    from chain.machine.transaction import CallRecord
    from chain.metering.program import Program

_LABELS: Final = {bytes(account): account.name for account in ACCOUNTS}


class AddressBook:
    """The names on a chain as it stands."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.receipt: int | None = None  # contracts have the names that they had then; None: of now

    def account(self, address: bytes) -> str | None:
        return account_names.get_name(self._ledger.state, address) or _LABELS.get(address)

    def name(self, address: bytes) -> str | None:
        return self.account(address) or self._contract(address)

    def find(self, name: str, keys: Iterable[Account] = ()) -> bytes | None:
        """Who is called so: an account whose key is at hand, or else any account or contract."""
        own = next((account for account in keys if account.name == name), None)
        there = self._ledger.state.accounts
        if own is not None:
            return own
        now = next((address for address in there if self.name(address) == name), None)
        return now or self.former.get(name)

    def display(self, address: bytes) -> str:
        return self.name(address) or short_address(address)

    @property
    def contracts(self) -> dict[bytes, str]:
        """The Python contracts by address, numbered in the order in which they were made."""
        return {address: had[-1][1] for address, had in self._had.items()}

    @property
    def former(self) -> dict[str, bytes]:
        """The Python contracts by every name that they have or had."""
        return {name: address for address, had in self._had.items() for _, name in had}

    def _contract(self, address: bytes) -> str | None:
        had = self._had.get(address)
        if had is None:
            return None
        then = [name for receipt, name in had if self.receipt is None or receipt <= self.receipt]
        return then[-1] if then else had[0][1]

    @cached_property
    def _had(self) -> dict[bytes, list[tuple[int, str]]]:
        """For each contract the names that it had, and from which receipt on."""
        had: dict[bytes, list[tuple[int, str]]] = {}
        given: dict[tuple[bytes, str], str] = {}  # to an address, as one of a class
        count: Counter[str] = Counter()
        for receipt in self._ledger.receipts.where(_may_place, ok=True):
            for address, digest in placed(receipt):
                program = self._ledger.program(digest)
                if program is not None:
                    key = address, program.spec.name
                    if key not in given:
                        given[key] = next_contract_name(program.spec.name, count)
                    had.setdefault(address, []).append((receipt.position, given[key]))
        return had


def _may_place(receipt: Receipt) -> bool:
    return receipt.to is None or bool(receipt.calls) or receipt.data[:4] == UPGRADE.selector


def next_contract_name(name: str, count: Counter[str]) -> str:
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


def _placed_by(calls: Sequence[CallRecord]) -> Iterator[tuple[bytes, bytes]]:
    for call in calls:
        if call.failure is None:
            if call.program is not None and call.kind == "create":
                yield call.address, call.program.digest
            elif call.program is not None and call.data[:4] == UPGRADE.selector:
                yield call.address, call.data[4:36]
            yield from _placed_by(call.calls)


def created_contracts(receipt: Receipt) -> Iterator[tuple[bytes, Program]]:
    """The Python contracts that a transaction made, itself or on the way."""
    if receipt.to is None and receipt.program is not None:
        yield bytes(receipt.address), receipt.program
    yield from _created_by(receipt.calls)


def _created_by(calls: Sequence[CallRecord]) -> Iterator[tuple[bytes, Program]]:
    for call in calls:
        if call.failure is None:
            if call.kind == "create" and call.program is not None:
                yield call.address, call.program
            yield from _created_by(call.calls)


def short_address(address: bytes) -> str:
    text = checksum_address(address)
    return f"{text[:6]}…{text[-4:]}"
