"""State roots: the tries over all accounts and their words at the end of a block.

A `StateTrie` never changes. The next one is built from it and from the changes in the timeline. So a block of one transaction
costs a handful of new nodes, tries share all equal parts, and going back means dropping the later ones. The leaf of an account
holds a reference to its storage trie. Words may be stored at an address that is not an account (yet): they do not affect the
root, and are kept in `orphan_storage`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from chain.crypto import rlp, trie
from chain.crypto.hashing import keccak
from chain.crypto.trie import Item, Node
from chain.foundation.gc_pause import collector_paused
from chain.machine.state import ACCOUNT, STORAGE, Account, Changes, State, iter_changes

_STEP: Final = 4 * 500  # changes that are applied at a time, of four items each

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
        leaf = trie.find(self.accounts, path_of(address))
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
            account, storage = self.lookup(address)
            account = accounts.get(address, account)
            if address in words:
                base = None if address in wiped else storage
                storage = trie.update(base, _word_items(words[address]))
            items.append(_account_item(address, account, storage))
            if account is None or address in self.orphan_storage:
                orphans[address] = None if account else storage
        return StateTrie(trie.update(self.accounts, sorted(items)), self._without_account(orphans))

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
    words: defaultdict[bytes, dict[int, int | None]] = defaultdict(dict)
    wiped: set[bytes] = set()
    for address, slot, _, after in chain.from_iterable(map(iter_changes, moments)):
        if slot is ACCOUNT:
            accounts[address] = after
        elif slot is STORAGE:
            words[address] = dict(after)
            wiped.add(address)
        else:
            words[address][slot] = after
    return accounts, words, wiped


@lru_cache(maxsize=4096)  # the same accounts and words change again and again
def path_of(key: bytes) -> str:
    return keccak(key).hex()


def _word_items(words: Words) -> list[Item]:
    return sorted(
        [
            Item(path_of(slot.to_bytes(32)), rlp.encode(word) if word else b"")
            for slot, word in words.items()
        ]
    )


def _account_item(address: bytes, account: Account | None, storage: Node | None) -> Item:
    if account is None:
        return Item(path_of(address), b"")
    nonce, balance, code_hash = account
    value = rlp.encode((nonce, balance, trie.root(storage), code_hash))
    return Item(path_of(address), value, (account, storage))


class InitialState:
    """The accounts and words before some changes: before the first change of each; everything else is as it is now.

    So the present state may be at the end of its timeline, undone to an earlier index, or in the middle of a transaction.
    """

    def __init__(self) -> None:
        self._accounts: dict[bytes, Account | None] = {}
        self._words: defaultdict[bytes, dict[int, int | None]] = defaultdict(dict)
        self._wiped: dict[bytes, Words] = {}

    def note(self, moments: Iterable[Changes]) -> None:
        """Take these changes, which follow those that were taken before."""
        accounts, words, wiped = self._accounts, self._words, self._wiped
        for address, slot, before, _ in chain.from_iterable(map(iter_changes, moments)):
            if slot is ACCOUNT:
                accounts.setdefault(address, before)
            elif slot is STORAGE:
                wiped.setdefault(address, dict(before))
            elif address not in wiped:
                words[address].setdefault(slot, before)

    def tries(self, state: State) -> Iterator[StateTrie]:
        """Yield the trie as it is built, step by step; the last one is complete. `state` may change meanwhile."""
        self.note([state.changes])
        changes: list[object] = []
        for address, account in {**state.accounts, **self._accounts}.items():
            changes += (address, ACCOUNT, None, account)
        for address, present in {**state.storages, **self._wiped}.items():
            for slot, word in {**present, **self._words[address]}.items():
                if word:
                    changes += (address, slot, None, word)
        trie = EMPTY_STATE
        for first in range(0, len(changes), _STEP):
            with collector_paused():
                trie = trie.apply([changes[first : first + _STEP]])
            yield trie


def initial_trie(state: State, timeline: Iterable[Changes]) -> StateTrie:
    """Return the trie before all changes of `timeline`."""
    initial = InitialState()
    initial.note(timeline)
    return [EMPTY_STATE, *initial.tries(state)][-1]
