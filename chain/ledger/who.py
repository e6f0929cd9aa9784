"""Who is who: the names by which people know accounts and contracts.

A named account has the name it was given, one of the ten well-known accounts its label, a Python contract the name of its
class; the second contract of a class is `Game#2`. Anything else is a shortened address.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final

from chain import names
from chain.accounts import ACCOUNTS, Account
from chain.hashing import checksum_address

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
        own = [account for account in keys if account.name == name]
        if len(own) > 1:
            listed = " and ".join(map(checksum_address, own))
            raise ValueError(f"'{name}' is the name of {listed}: say which by its address")
        there = self._ledger.state.accounts
        return own[0] if own else next((each for each in there if self.name(each) == name), None)

    def show(self, address: bytes) -> str:
        return self.name(address) or short(address)

    @cached_property
    def contracts(self) -> dict[bytes, str]:
        """The Python contracts, numbered in the order in which they were made."""
        found: dict[bytes, str] = {}
        count: Counter[str] = Counter()
        for receipt in self._ledger.receipts.where(
            lambda r: r.to is None or bool(r.calls), ok=True
        ):
            for address, program in created(receipt):
                found[address] = numbered(program.spec.name, count)
        return found


def numbered(name: str, count: Counter[str]) -> str:
    """The name of the next contract of a class, of which `count` have been named."""
    count[name] += 1
    return name if count[name] == 1 else f"{name}#{count[name]}"


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
