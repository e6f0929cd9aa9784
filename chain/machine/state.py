"""World state as flat dictionaries, and the journal that can take back anything done to them.

Every change is written down as four items in one list: the dictionary, the key, the value before, the value after (None:
absent). A mark is a length of that list; to undo is to walk back to it. Frames, transactions, blocks, snapshots and
anchors are all marks of this kind. What a transaction leaves in the list goes into its receipt, and so names every word it wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from chain.hashing import keccak
from chain.types import Address

Account: TypeAlias = tuple[int, int, bytes]  # nonce, balance, hash of the code
Changes: TypeAlias = list[Any]  # dictionary, key, before, after, dictionary, key, …
Mark: TypeAlias = tuple[int, int, int]

EMPTY_CODE_HASH: Final = keccak(b"")
NO_ACCOUNT: Final[Account] = (0, 0, EMPTY_CODE_HASH)


class Accounts(dict[bytes, Account]):
    """All accounts that exist."""

    __slots__ = ()


class Storage(dict[int, int]):
    """The words of one account. A zero word is absent."""

    __slots__ = ("address",)

    def __init__(self, address: bytes) -> None:
        self.address = Address(address)


class Storages(dict[bytes, Storage]):
    """The storage of every account that ever had a word. A deleted account gets a new one."""

    __slots__ = ()

    def __missing__(self, address: bytes) -> Storage:
        storage = self[address] = Storage(address)  # an empty storage is no change
        return storage


class State:
    """Accounts, storage and code, with what the running transaction changed, touched and logged."""

    __slots__ = ("access", "accessed", "accounts", "changes", "codes", "logs", "slots", "storages")

    def __init__(self) -> None:
        self.accounts = Accounts()
        self.storages = Storages()
        self.codes: dict[bytes, bytes] = {EMPTY_CODE_HASH: b""}
        self.slots = Slots()
        self.changes: Changes = []
        self.logs: list[Any] = []
        # Warm addresses, each with its warm slots and the values these had when the transaction began (EIP-2929, EIP-2200).
        self.access: dict[bytes, dict[int, int]] = {}
        self.accessed: list[tuple[dict[Any, Any], Any]] = []

    # Marks

    def mark(self) -> Mark:
        return len(self.changes), len(self.accessed), len(self.logs)

    def undo(self, mark: Mark) -> tuple[Changes, list[Any]]:
        """Take back all that came after `mark`; returns the changes and logs that were undone."""
        changes, accessed, logs = mark
        undone = self.changes[changes:], self.logs[logs:]
        take_back(undone[0])
        del self.changes[changes:], self.logs[logs:]
        for container, key in reversed(self.accessed[accessed:]):
            del container[key]
        del self.accessed[accessed:]
        return undone

    def close(self) -> tuple[Changes, list[Any]]:
        """End a transaction: hand over what it changed and logged, and forget what it touched."""
        closed = self.changes, self.logs
        self.changes, self.logs, self.access, self.accessed = [], [], {}, []
        return closed

    # Reading and writing

    def account(self, address: bytes) -> Account:
        return self.accounts.get(address, NO_ACCOUNT)

    def code(self, address: bytes) -> bytes:
        return self.codes[self.account(address)[2]]

    def word(self, address: bytes, slot: int) -> int:
        return self.storages[address].get(slot, 0)

    def set_account(self, address: bytes, account: Account) -> None:
        accounts = self.accounts
        self.changes += (accounts, address, accounts.get(address), account)
        accounts[address] = account

    def set_code(self, address: bytes, code: bytes) -> None:
        code_hash = keccak(code)
        self.codes[code_hash] = code  # content under its hash is never in the way: no journal
        nonce, balance, _ = self.account(address)
        self.set_account(address, (nonce, balance, code_hash))

    def add_balance(self, address: bytes, amount: int) -> None:
        nonce, balance, code_hash = self.account(address)
        self.set_account(address, (nonce, balance + amount, code_hash))

    def set_word(self, address: bytes, slot: int, word: int) -> None:
        self.put_word(self.storages[address], slot, word)

    def put_word(self, storage: Storage, slot: int, word: int) -> None:
        self.changes += (storage, slot, storage.get(slot), word or None)
        if word:
            storage[slot] = word
        else:
            storage.pop(slot, None)

    def delete_storage(self, address: bytes) -> None:
        storage = self.storages[address]
        if storage:
            empty = Storage(address)
            self.changes += (self.storages, address, storage, empty)
            self.storages[address] = empty

    def delete_account(self, address: bytes) -> None:
        self.delete_storage(address)
        if address in self.accounts:
            self.changes += (self.accounts, address, self.accounts.pop(address), None)

    # Touching

    def touch(self, address: bytes) -> bool:
        """Make an address warm; says whether it was cold."""
        if address in self.access:
            return False
        self.access[address] = {}
        self.accessed.append((self.access, address))
        return True

    def touch_slot(self, address: bytes, slot: int) -> bool:
        warm = self.access.setdefault(address, {})
        if slot in warm:
            return False
        warm[slot] = self.word(address, slot)
        self.accessed.append((warm, slot))
        return True


class Slots:
    """Slots made by hashing, and what each was made from, so that a written word can be named again."""

    __slots__ = ("origins", "_data", "_mapped")

    def __init__(self) -> None:
        self.origins: dict[int, tuple[int, bytes | None]] = {}  # slot -> parent slot, key (None: the data of the parent)
        self._data: dict[int, int] = {}
        self._mapped: dict[tuple[int, bytes], int] = {}

    def data(self, slot: int) -> int:
        """Where the content of the list or text at `slot` begins."""
        found = self._data.get(slot)
        if found is None:
            found = self._data[slot] = int.from_bytes(keccak(slot.to_bytes(32)))
            self.origins[found] = (slot, None)
        return found

    def mapped(self, slot: int, key: bytes) -> int:
        """Where the map at `slot` keeps the value of `key`."""
        found = self._mapped.get((slot, key))
        if found is None:
            found = self._mapped[slot, key] = int.from_bytes(keccak(key + slot.to_bytes(32)))
            self.origins[found] = (slot, key)
        return found


def entries(changes: Changes) -> Iterator[tuple[Any, Any, Any, Any]]:
    """The changes one by one: dictionary, key, before, after."""
    items = iter(changes)
    return zip(items, items, items, items, strict=True)


def take_back(changes: Changes) -> None:
    for i in range(len(changes) - 4, -1, -4):
        container, key, before, _ = changes[i : i + 4]
        if before is None:
            container.pop(key, None)
        else:
            container[key] = before


def put_back(changes: Changes) -> None:
    """Do again what `take_back` undid."""
    for container, key, _, after in entries(changes):
        if after is None:
            container.pop(key, None)
        else:
            container[key] = after
