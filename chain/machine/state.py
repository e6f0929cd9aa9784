"""The world state as flat dictionaries, and the journal that can undo every change to them.

Every change is recorded as four items in one list: address, slot, value before, value after (None: absent). The slot is a
number for a word, `ACCOUNT` for the account itself, `STORAGE` for all of its words at once. A mark is a length of that list;
to undo is to walk back to it. Frames, transactions, blocks, snapshots and anchors are all such marks. The changes of a
finished transaction go into its receipt, which so names every word that it wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from copy import copy
from typing import Any, Final, TypeAlias

from chain.crypto.hashing import keccak
from chain.storage.slots import Slots

Account: TypeAlias = tuple[int, int, bytes]  # nonce, balance, hash of the code
Changes: TypeAlias = Sequence[Any]  # address, slot, before, after, address, slot, …
# Address, topics, data, the event if the bytes alone cannot restore it, and the digest of the Python code that wrote it.
LogRow: TypeAlias = tuple[bytes, tuple[int, ...], bytes, Any, bytes | None]
Mark: TypeAlias = tuple[int, int, int]

ACCOUNT: Final = "account"
STORAGE: Final = "storage"
EMPTY_CODE_HASH: Final = keccak(b"")
NO_ACCOUNT: Final[Account] = (0, 0, EMPTY_CODE_HASH)
DELEGATION: Final = (
    b"\xef\x01\x00"  # the code of an account that delegates begins with it (EIP-7702)
)
START: Final[Mark] = (0, 0, 0)

_RECENT: Final = 2_000  # more parts than are made between two collections


class StorageByAddress(dict[bytes, MutableMapping[int, int]]):
    """The words of every account that ever had one. Zero words and empty storages are absent."""

    __slots__ = ()

    def __missing__(self, address: bytes) -> MutableMapping[int, int]:
        words: MutableMapping[int, int] = {}
        self[address] = words
        return words

    def __copy__(self) -> StorageByAddress:
        duplicate = StorageByAddress()
        for address, words in self.items():
            duplicate[address] = copy(words)
        return duplicate


class State:
    """Accounts, storage and code, with the changes, accesses and logs of the running transaction."""

    __slots__ = (
        "access", "access_journal", "accounts", "changes", "closed", "codes", "logs", "recent", "slots", "storages",
    )  # fmt: skip

    def __init__(self) -> None:
        self.accounts: MutableMapping[bytes, Account] = {}
        self.storages: MutableMapping[bytes, MutableMapping[int, int]] = StorageByAddress()
        self.codes: dict[bytes, bytes] = {EMPTY_CODE_HASH: b""}
        self.slots = Slots()
        # The changes of the running transaction. Each is recorded before it is applied.
        self.changes: list[object] = []
        self.closed: Changes = ()  # the changes of the last transaction, until a ledger takes them
        self.logs: list[LogRow] = []
        self.recent: list[object] = []  # parts of the last transactions, see `close`
        # Warm addresses, each with its warm slots and the values these had when the transaction began (EIP-2929, EIP-2200).
        self.access: dict[bytes, dict[int, int]] = {}
        # Containers, each with the key to delete on undo.
        self.access_journal: list[tuple[object, Any]] = []

    def copy(self) -> State:
        """Return an independent copy of accounts, words and code. Only between two transactions."""
        duplicate = State()
        duplicate.accounts, duplicate.storages = copy(self.accounts), copy(self.storages)
        duplicate.codes, duplicate.slots = self.codes.copy(), self.slots.copy()
        return duplicate

    # Marks

    def mark(self) -> Mark:
        """Return the current position in the journals, for `undo`."""
        return len(self.changes), len(self.access_journal), len(self.logs)

    def undo(self, mark: Mark) -> tuple[Changes, list[LogRow]]:
        """Undo everything after `mark`; return the changes and logs that were undone."""
        changes, accessed, logs = mark
        undone = self.changes[changes:], self.logs[logs:]
        self.undo_changes(undone[0])
        del self.changes[changes:], self.logs[logs:]
        for container, key in reversed(self.access_journal[accessed:]):
            del container[key]
        del self.access_journal[accessed:]
        return undone

    def abandon(self) -> None:
        """Undo all changes that no ledger has taken yet. May be interrupted at any point and called again."""
        self.undo_changes(self.changes)
        self.undo_changes(self.closed)
        self.close()
        self.closed = ()

    def close(self) -> tuple[Changes, tuple[LogRow, ...]]:
        """End a transaction: return its changes and logs, and clear its accesses.

        They are returned as tuples of numbers and bytes, which Python's garbage collector stops tracking. So a chain of a
        million receipts does not slow it down. The collector does so when it first meets a tuple, if it has met the parts
        before; and it meets first what something older refers to, in the order in which it was made. So `recent` does.
        """
        self.access = {}
        if self.access_journal:
            self.access_journal.clear()
        closed = changes, logs = tuple(self.changes), tuple(self.logs)
        self.closed, recent = changes, self.recent
        if changes:
            self.changes.clear()
            recent.append(changes[3])  # the account of the sender
        if logs:
            self.logs.clear()
            for log in logs:
                recent += (log[1], log)
            recent.append(logs)
        if len(recent) > _RECENT:
            del recent[: _RECENT // 2]
        return closed

    def undo_changes(self, changes: Changes) -> None:
        """Undo `changes`, the last one first."""
        storages = self.storages
        for i in range(len(changes) - 4, -1, -4):
            slot, before = changes[i + 1], changes[i + 2]
            if slot.__class__ is not int:
                self._put(changes[i], slot, before)
            elif before is None:  # as `_put` does, without a call for each word
                storages[changes[i]].pop(slot, None)
            else:
                storages[changes[i]][slot] = before

    def redo_changes(self, changes: Changes) -> None:
        """Redo `changes` that were undone, the first one first."""
        for i in range(0, len(changes), 4):
            self._put(changes[i], changes[i + 1], changes[i + 3])

    def _put(self, address: bytes, slot: object, value: Any) -> None:
        """Set a word, an account or a whole storage without a journal entry."""
        if slot is STORAGE:
            self.storages[address] = dict(value)
            return
        container: MutableMapping[Any, Any] = (
            self.accounts if slot is ACCOUNT else self.storages[address]
        )
        key = address if slot is ACCOUNT else slot
        if value is None:
            container.pop(key, None)
        else:
            container[key] = value

    # Reading and writing

    def account(self, address: bytes) -> Account:
        return self.accounts.get(address, NO_ACCOUNT)

    def has_code(self, address: bytes) -> bool:
        return self.accounts.get(address, NO_ACCOUNT)[2] != EMPTY_CODE_HASH

    def is_taken(self, address: bytes) -> bool:
        """Return True if no contract can be created there: it has a nonce, code, or words left over (EIP-7610)."""
        nonce, _, code_hash = self.account(address)
        return nonce != 0 or code_hash != EMPTY_CODE_HASH or bool(self.storages.get(address))

    def code(self, address: bytes) -> bytes:
        return self.codes[self.account(address)[2]]

    def lender(self, address: bytes) -> bytes | None:
        """Return the address whose code runs for an account that delegates to it (EIP-7702)."""
        code = self.codes[self.accounts.get(address, NO_ACCOUNT)[2]]
        return code[len(DELEGATION) :] if code.startswith(DELEGATION) else None

    def word(self, address: bytes, slot: int) -> int:
        return self.storages[address].get(slot, 0)

    def set_account(self, address: bytes, account: Account) -> None:
        """Set an account. An empty one is deleted (EIP-161)."""
        if account == NO_ACCOUNT:
            self._delete(address)
            return
        self.changes += (address, ACCOUNT, self.accounts.get(address), account)
        self.accounts[address] = account

    def set_code(self, address: bytes, code: bytes) -> None:
        code_hash = self.intern_code(code)
        nonce, balance, _ = self.account(address)
        self.set_account(address, (nonce, balance, code_hash))

    def intern_code(self, code: bytes) -> bytes:
        """Store a code under its hash and return the hash. There is no journal entry, because unused code does no harm."""
        code_hash = keccak(code)
        self.codes[code_hash] = code
        return code_hash

    def add_balance(self, address: bytes, amount: int) -> None:
        nonce, balance, code_hash = self.account(address)
        self.set_account(address, (nonce, balance + amount, code_hash))

    def refund_fee(self, sender: bytes, prepaid: Account, amount: int) -> None:
        """Return the rest of the fee to the sender of the transaction, whose account was `prepaid` once it had paid.

        If the account has not changed since, this adds no change: it corrects the payment, the first of the transaction.
        """
        accounts, changes = self.accounts, self.changes
        account = accounts.get(sender, NO_ACCOUNT)
        nonce, balance, code_hash = account
        refunded = nonce, balance + amount, code_hash
        if account is prepaid and changes[3] is prepaid:
            changes[3] = accounts[sender] = refunded
        else:
            self.set_account(sender, refunded)

    def set_word(self, address: bytes, slot: int, word: int) -> None:
        storage = self.storages[address]
        self.changes += address, slot, storage.get(slot), word or None
        if word:
            storage[slot] = word
        else:
            storage.pop(slot, None)

    def delete_storage(self, address: bytes) -> None:
        storage = self.storages[address]
        if storage:
            self.changes += (address, STORAGE, tuple(storage.items()), ())
            self.storages[address] = {}

    def delete_account(self, address: bytes) -> None:
        self.delete_storage(address)
        self._delete(address)

    def _delete(self, address: bytes) -> None:
        if address in self.accounts:
            self.changes += (address, ACCOUNT, self.accounts[address], None)
            del self.accounts[address]

    # Touching

    def warm_address(self, address: bytes) -> bool:
        """Make an address warm; return True if it was cold."""
        if address in self.access:
            return False
        self.access[address] = {}
        self.access_journal.append((self.access, address))
        return True

    def touch_slot(self, address: bytes, slot: int) -> bool:
        """Make a slot warm; return True if it was cold."""
        warm = self.access.setdefault(address, {})
        if slot in warm:
            return False
        warm[slot] = self.word(address, slot)
        self.access_journal.append((warm, slot))
        return True


def iter_changes(changes: Changes) -> Iterator[tuple[bytes, Any, Any, Any]]:
    """Iterate over the changes one by one: address, slot, before, after."""
    items = iter(changes)
    return zip(items, items, items, items, strict=True)
