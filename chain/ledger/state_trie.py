"""State roots: the tries over all accounts and their words at the end of a block.

A `StateTrie` never changes. The next one is built from it and from the changes in the timeline. So a block of one transaction
costs a handful of new nodes, tries share all equal parts, and going back means dropping the later ones. The leaf of an account
holds a reference to its storage trie. Words may be stored at an address that is not an account (yet): they do not affect the
root, and are kept in `orphan_storage`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from chain.crypto import rlp, trie
from chain.crypto.hashing import keccak
from chain.crypto.trie import Item, Node
from chain.machine.state import ACCOUNT, STORAGE, Account, Changes, State, iter_changes

_FEW: Final = 500  # words whose paths are worth a place in a cache

Words = Mapping[int, int | None]


class StateTrie(NamedTuple):
    """All accounts and words at one point in time."""

    accounts: Node | None
    orphan_storage: Mapping[bytes, Node]  # the words at addresses that are not accounts

    @property
    def root(self) -> bytes:
        return trie.root(self.accounts)

    def lookup(self, address: bytes) -> tuple[Account | None, Node | None]:
        """Return the account at an address, or None, and the trie of its words."""
        return self._at(path_of(address), address)

    def _at(self, path: str, address: bytes) -> tuple[Account | None, Node | None]:
        leaf = trie.find(self.accounts, path)
        return (None, self.orphan_storage.get(address)) if leaf is None else leaf.payload

    def word(self, address: bytes, slot: int) -> int:
        """Return a word of an account; zero if there is no account."""
        account, storage = self.lookup(address)
        leaf = trie.find(storage if account else None, path_of(slot.to_bytes(32)))
        raw: Any = b"" if leaf is None else rlp.decode(leaf.value)
        return int.from_bytes(raw)

    def prove_account(self, address: bytes) -> list[bytes]:
        """Return the nodes that prove the account, or that there is none."""
        return trie.proof(self.accounts, path_of(address))

    def prove_word(self, address: bytes, slot: int) -> list[bytes]:
        """Return the nodes that prove a word of an account, or that it is zero."""
        account, storage = self.lookup(address)
        return trie.proof(storage if account else None, path_of(slot.to_bytes(32)))

    def apply(self, moments: Iterable[Changes]) -> StateTrie:
        """Return the trie after all these changes; `moments` are entries of the timeline."""
        accounts, words, wiped = gather(moments)
        items: list[Item] = []
        orphans: dict[bytes, Node | None] = {}
        for address in {**accounts, **words}:
            path = path_of(address)
            account, storage = self._at(path, address)
            account = accounts.get(address, account)
            if address in words:
                base = None if address in wiped else storage
                storage = trie.update(base, _word_items(words[address].items()))
            items.append(_account_item(path, account, storage))
            if account is None or address in self.orphan_storage:
                orphans[address] = None if account else storage
        items.sort()
        return StateTrie(trie.update(self.accounts, items), self._without_account(orphans))

    def _without_account(self, changed: Mapping[bytes, Node | None]) -> Mapping[bytes, Node]:
        if not changed:
            return self.orphan_storage
        return {
            address: node
            for address, node in {**self.orphan_storage, **changed}.items()
            if node is not None
        }


EMPTY_STATE: Final = StateTrie(None, {})


def gather(
    moments: Iterable[Changes],
) -> tuple[dict[bytes, Account | None], dict[bytes, dict[int, int | None]], set[bytes]]:
    """Return the sum of these changes: accounts, words by address, and the addresses that lost all earlier words."""
    accounts: dict[bytes, Account | None] = {}
    words: dict[bytes, dict[int, int | None]] = {}
    wiped: set[bytes] = set()
    for changes in moments:
        for address, slot, _, after in iter_changes(changes):
            if slot is ACCOUNT:
                accounts[address] = after
            elif slot is STORAGE:
                words[address] = dict(after)
                wiped.add(address)
            elif address in words:
                words[address][slot] = after
            else:
                words[address] = {slot: after}
    return accounts, words, wiped


def _path(key: bytes) -> str:
    return keccak(key).hex()


path_of: Final = lru_cache(maxsize=4096)(
    _path
)  # the same accounts and words change again and again


def _word_items(words: Collection[tuple[int, int | None]]) -> list[Item]:
    """Return the sorted items of these words."""
    path, number = path_of if len(words) <= _FEW else _path, rlp.number
    items: list[Item] = [
        (path(slot.to_bytes(32)), number(word) if word else b"", None) for slot, word in words
    ]
    items.sort()
    return items


def _account_item(path: str, account: Account | None, storage: Node | None) -> Item:
    if account is None:
        return path, b"", None
    nonce, balance, code_hash = account
    body = (rlp.number(nonce), rlp.number(balance), b"\xa0", trie.root(storage), b"\xa0", code_hash)
    return path, rlp.wrap(b"".join(body)), (account, storage)


def initial_trie(state: State, timeline: Iterable[Changes]) -> StateTrie:
    """Return the trie before the changes of `timeline`: what they changed is as before the first of them, all else as now.

    So the present state may be at the end of the timeline, undone to an earlier index, or in the middle of a transaction.
    """
    accounts: dict[bytes, Account | None] = {}
    words: defaultdict[bytes, dict[int, int | None]] = defaultdict(dict)
    wiped: dict[bytes, Words] = {}
    changes = chain(chain.from_iterable(map(iter_changes, timeline)), iter_changes(state.changes))
    for address, slot, before, _ in changes:
        if slot is ACCOUNT:
            accounts.setdefault(address, before)
        elif slot is STORAGE:
            wiped.setdefault(address, dict(before))
        elif address not in wiped:
            words[address].setdefault(slot, before)
    accounts = {**state.accounts, **accounts}
    tries = {
        address: trie.update(None, _word_items({**stored, **words[address]}.items()))
        for address, stored in {**state.storages, **wiped}.items()
    }
    items = [
        _account_item(_path(address), account, tries.get(address))
        for address, account in accounts.items()
    ]
    orphans = {
        address: node
        for address, node in tries.items()
        if node is not None and accounts.get(address) is None
    }
    return StateTrie(trie.update(None, sorted(items)), orphans)
