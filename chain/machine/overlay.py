"""States on top of another one: they keep the differences, and read everything else from the state below.

The past, a fork and a chain in a file are such states, so their cost depends on the differences, not on the size of the state.
Values that were read are cached too, because the state below never changes for its readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from copy import copy
from typing import Any, Protocol

from chain.machine.state import Account, State
from chain.storage.slots import Slots


class Base(Protocol):
    """A state that never changes for its readers."""

    def account(self, address: bytes) -> Account | None: ...
    def word(self, address: bytes, slot: int) -> int: ...
    def addresses(self) -> Iterable[bytes]: ...
    def slots_of(self, address: bytes) -> Iterable[int]: ...


class Nothing:
    """A base without accounts."""

    def account(self, address: bytes) -> Account | None:
        return None

    def word(self, address: bytes, slot: int) -> int:
        return 0

    def addresses(self) -> Iterable[bytes]:
        return ()

    def slots_of(self, address: bytes) -> Iterable[int]:
        return ()


class OverlaidWords(MutableMapping[int, int]):
    """The words of one account over those of a base. A zero stands for an absent word."""

    __slots__ = ("_address", "_base", "_own")

    def __init__(self, base: Base, address: bytes, own: dict[int, int]) -> None:
        self._base, self._address, self._own = base, address, own

    def get(self, slot: int, default: object = None) -> Any:
        word = self._own.get(slot)
        if word is None:
            word = self._own[slot] = self._base.word(self._address, slot)
        return word or default

    def __getitem__(self, slot: int) -> int:
        word: int | None = self.get(slot)
        if word is None:
            raise KeyError(slot)
        return word

    def __setitem__(self, slot: int, word: int) -> None:
        self._own[slot] = word

    def __delitem__(self, slot: int) -> None:
        self._own[slot] = 0

    def __iter__(self) -> Iterator[int]:
        slots = dict.fromkeys([*self._base.slots_of(self._address), *self._own])
        return (slot for slot in slots if self.get(slot))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def __copy__(self) -> OverlaidWords:
        return OverlaidWords(self._base, self._address, self._own.copy())


class OverlaidStorages(MutableMapping[bytes, MutableMapping[int, int]]):
    """The words of all accounts over those of a base."""

    __slots__ = ("_base", "_own")

    def __init__(self, base: Base) -> None:
        self._base, self._own = base, dict[bytes, OverlaidWords]()

    def __getitem__(self, address: bytes) -> OverlaidWords:
        words = self._own.get(address)
        if words is None:
            words = self._own[address] = OverlaidWords(self._base, address, {})
        return words

    def get(self, address: bytes, default: object = None) -> Any:
        return self[address]

    def __setitem__(self, address: bytes, words: MutableMapping[int, int]) -> None:
        self._own[address] = OverlaidWords(Nothing(), address, dict(words))

    def __delitem__(self, address: bytes) -> None:
        self[address] = {}

    def __iter__(self) -> Iterator[bytes]:
        return iter(dict.fromkeys([*self._base.addresses(), *self._own]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __copy__(self) -> OverlaidStorages:
        duplicate = OverlaidStorages(self._base)
        duplicate._own = {address: copy(words) for address, words in self._own.items()}
        return duplicate


class OverlaidAccounts(MutableMapping[bytes, Account]):
    """All accounts over those of a base. None stands for an absent account."""

    __slots__ = ("_own", "base")

    def __init__(self, base: Base) -> None:
        self.base, self._own = base, dict[bytes, Account | None]()

    def get(self, address: bytes, default: object = None) -> Any:
        if address not in self._own:
            self._own[address] = self.base.account(address)
        account = self._own[address]
        return default if account is None else account

    def __getitem__(self, address: bytes) -> Account:
        account: Account | None = self.get(address)
        if account is None:
            raise KeyError(address)
        return account

    def __setitem__(self, address: bytes, account: Account) -> None:
        self._own[address] = account

    def __delitem__(self, address: bytes) -> None:
        self._own[address] = None

    def __iter__(self) -> Iterator[bytes]:
        addresses = dict.fromkeys([*self.base.addresses(), *self._own])
        return (address for address in addresses if self.get(address) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __copy__(self) -> OverlaidAccounts:
        duplicate = OverlaidAccounts(self.base)
        duplicate._own = self._own.copy()
        return duplicate


def overlay(base: Base, codes: dict[bytes, bytes], slots: Slots) -> State:
    """Return a state that begins as `base` is."""
    state = State()
    lay_over(state, base)
    state.codes, state.slots = codes, slots
    return state


def lay_over(state: State, base: Base) -> None:
    """Let the accounts and words of a state begin as those of `base` are."""
    state.accounts, state.storages = OverlaidAccounts(base), OverlaidStorages(base)
