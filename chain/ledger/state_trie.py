"""State roots: the tries over all accounts and their words, as they are at the end of a block.

A `World` never changes. The next one is made from it and from what the timeline says was written, so a block of one
transaction costs a handful of new nodes, worlds share all that is the same in them, and to go back is to forget the
later ones. The leaf of an account keeps its storage trie at hand. Words may lie at an address that is no account (yet):
they count for nothing, and wait in `absent`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

from chain.crypto import rlp, trie
from chain.crypto.hashing import keccak
from chain.crypto.trie import (
    Item,
    Node,
)
from chain.machine.state import ACCOUNT, STORAGE, Account, Changes, State, iter_changes

Words = Mapping[int, int | None]


class StateTrie(NamedTuple):
    """All accounts and words at one moment."""

    accounts: Node | None
    orphan_storage: Mapping[bytes, Node]  # the words of addresses that are no accounts

    @property
    def root(self) -> bytes:
        return trie.root(self.accounts)

    def lookup(self, address: bytes) -> tuple[Account | None, Node | None]:
        """The account at an address, None where there is none, and the trie of its words."""
        leaf = trie.find(self.accounts, path_of(address))
        return (None, self.orphan_storage.get(address)) if leaf is None else leaf.payload

    def prove_account(self, address: bytes) -> list[bytes]:
        """The nodes that show the account, or that there is none."""
        return trie.proof(self.accounts, path_of(address))

    def prove_word(self, address: bytes, slot: int) -> list[bytes]:
        """The nodes that show a word of an account, or that it is zero."""
        account, storage = self.lookup(address)
        return trie.proof(storage if account else None, path_of(slot.to_bytes(32)))

    def apply(self, moments: Iterable[Changes]) -> StateTrie:
        """The world when all these changes are made."""
        accounts, words, wiped = gather(moments)
        items: list[Item] = []
        absent: dict[bytes, Node | None] = {}
        for address in {**accounts, **words}:
            account, storage = self.lookup(address)
            account = accounts.get(address, account)
            if address in words:
                base = None if address in wiped else storage
                storage = trie.update(base, _word_items(words[address]))
            items.append(_account_item(address, account, storage))
            absent[address] = None if account else storage
        return StateTrie(trie.update(self.accounts, sorted(items)), self._without_account(absent))

    def _without_account(self, changed: Mapping[bytes, Node | None]) -> Mapping[bytes, Node]:
        if all(self.orphan_storage.get(address) is node for address, node in changed.items()):
            return self.orphan_storage
        return {
            a: node for a, node in {**self.orphan_storage, **changed}.items() if node is not None
        }


EMPTY_STATE: Final = StateTrie(None, {})


def gather(
    moments: Iterable[Changes],
) -> tuple[dict[bytes, Account | None], dict[bytes, dict[int, int | None]], set[bytes]]:
    """What these changes come to: accounts, words by address, and the addresses that lost all earlier words."""
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


def initial_trie(state: State, timeline: Iterable[Changes]) -> StateTrie:
    """The world before anything of `timeline` happened.

    What a change says was there first is how it began; all else is as it is now. So it does not matter whether the state stands
    at the end of its timeline, was walked back, or is in the middle of a transaction.
    """
    accounts: dict[bytes, Account | None] = {}
    words: defaultdict[bytes, dict[int, int | None]] = defaultdict(dict)
    wiped: dict[bytes, Words] = {}
    for address, slot, before, _ in chain.from_iterable(
        map(iter_changes, (*timeline, state.changes))
    ):
        if slot is ACCOUNT:
            accounts.setdefault(address, before)
        elif slot is STORAGE:
            wiped.setdefault(address, dict(before))
        elif address not in wiped:
            words[address].setdefault(slot, before)
    told: list[Any] = []
    for address, account in {**state.accounts, **accounts}.items():
        told += (address, ACCOUNT, None, account)
    for address, present in {**state.storages, **wiped}.items():
        for slot, word in {**present, **words[address]}.items():
            told += (address, slot, None, word)
    return EMPTY_STATE.apply([told])
