"""State roots: after any writes, undos and deletions the root equals that of a plain trie of the whole state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rlp
from eth.db.account import AccountDB
from eth.db.atomic import AtomicDB
from eth_typing import Address
from hypothesis import given, settings
from hypothesis import strategies as st
from trie import HexaryTrie

from chain.crypto.hashing import keccak
from chain.ledger.state_trie import EMPTY_STATE, initial_trie
from chain.machine.state import ACCOUNT, EMPTY_CODE_HASH, START, Account, State

Acts = Sequence[tuple[Any, ...]]  # the name of a method of State, and its arguments
ADDRESSES = [Address(bytes([i]) * 20) for i in range(1, 5)]
SLOTS = [0, 1, 2, 2**255]

address, slot = st.sampled_from(ADDRESSES), st.sampled_from(SLOTS)
word = st.sampled_from([0, 0, 1, 127, 128, 2**256 - 1])
account = st.tuples(st.integers(0, 2), st.sampled_from([0, 1, 10**20]), st.just(EMPTY_CODE_HASH))
act = st.one_of(
    st.tuples(st.just("set_word"), address, slot, word),
    st.tuples(st.just("set_account"), address, account),
    st.tuples(st.just("set_code"), address, st.binary(max_size=3)),
    st.tuples(st.just("delete_storage"), address),
    st.tuples(st.just("delete_account"), address),
)
# A transaction: acts, the last of which are taken back in a failed message.
transaction = st.tuples(st.lists(act, max_size=8), st.lists(act, max_size=3))


def play(state: State, kept: Acts, undone: Acts = ()) -> None:
    for name, *args in kept:
        getattr(state, name)(*args)
    mark = state.mark()
    for name, *args in undone:
        getattr(state, name)(*args)
    state.undo(mark)


def plain_root(state: State) -> bytes:
    """The root by the library's trie, built from the whole state."""
    accounts = HexaryTrie({})
    for address, (nonce, balance, code_hash) in state.accounts.items():
        storage = HexaryTrie({})
        for slot, word in state.storages[address].items():
            storage[keccak(slot.to_bytes(32))] = rlp.encode(word)
        value = rlp.encode([nonce, balance, storage.root_hash, code_hash])
        accounts[keccak(address)] = value
    return accounts.root_hash


@settings(deadline=None)
@given(st.lists(transaction, max_size=6))
def test_root_follows_every_transaction(transactions: list[tuple[Acts, Acts]]) -> None:
    state, world = State(), EMPTY_STATE
    for kept, undone in transactions:
        play(state, kept, undone)
        world = world.apply([state.close()[0]])
        assert world.root == plain_root(state)


@settings(deadline=None)
@given(st.lists(transaction, max_size=6))
def test_many_transactions_at_once(transactions: list[tuple[Acts, Acts]]) -> None:
    state, timeline = State(), []
    for kept, undone in transactions:
        play(state, kept, undone)
        timeline.append(state.close()[0])
    assert EMPTY_STATE.apply(timeline).root == plain_root(state)


@settings(deadline=None)
@given(st.lists(transaction, min_size=1, max_size=5), transaction, st.integers(0, 5))
def test_initial_trie_is_rebuilt_later(
    transactions: list[tuple[Acts, Acts]], running: tuple[Acts, Acts], rewound: int
) -> None:
    state, timeline = State(), []
    play(state, transactions[0][0])
    state.close()
    root = plain_root(state)
    for kept, undone in transactions[1:]:
        play(state, kept, undone)
        timeline.append(state.close()[0])
    for changes in timeline[: -rewound - 1 : -1]:
        state.undo_changes(changes)
    play(state, *running)
    assert initial_trie(state, timeline).root == root


@settings(deadline=None, max_examples=50)
@given(st.lists(transaction, max_size=3))
def test_proofs_show_what_is_there(transactions: list[tuple[Acts, Acts]]) -> None:
    state, world = State(), EMPTY_STATE
    for kept, undone in transactions:
        play(state, kept, undone)
        world = world.apply([state.close()[0]])
    for address in ADDRESSES:
        held = state.accounts.get(address)
        shown = rlp.decode(shown_by(world.prove_account(address), world.root, keccak(address)))
        assert shown == (fields(held, shown[2]) if held else b"")
        for slot in SLOTS if held else ():
            proof = world.prove_word(address, slot)
            word = shown_by(proof, shown[2], keccak(slot.to_bytes(32)))
            assert int.from_bytes(rlp.decode(word)) == state.word(address, slot)


def shown_by(proof: list[bytes], root: bytes, key: bytes) -> bytes:
    return HexaryTrie.get_from_proof(root, key, [rlp.decode(node) for node in proof]) or b"\x80"


def fields(account: Account, storage_root: bytes) -> rlp.Decoded:
    nonce, balance, code_hash = account
    return rlp.decode(rlp.encode([nonce, balance, storage_root, code_hash]))


def test_root_is_py_evms() -> None:
    state, theirs = State(), AccountDB(AtomicDB())
    for i, address in enumerate(ADDRESSES):
        state.set_account(address, (i, 10**18 * i + 1, EMPTY_CODE_HASH))
        state.set_code(address, b"code" * i)
        state.set_word(address, i, i * 2**200)
        theirs.set_nonce(address, i)
        theirs.set_balance(address, 10**18 * i + 1)
        theirs.set_code(address, b"code" * i)
        theirs.set_storage(address, i, i * 2**200)
    assert EMPTY_STATE.apply([state.close()[0]]).root == theirs.make_state_root()


def test_account_that_holds_nothing_counts_where_it_exists() -> None:
    theirs = AccountDB(AtomicDB())
    theirs.touch_account(ADDRESSES[0])
    changes = (ADDRESSES[0], ACCOUNT, None, (0, 0, EMPTY_CODE_HASH))
    assert EMPTY_STATE.apply([changes]).root == theirs.make_state_root()


def test_words_wait_for_their_account() -> None:
    state = State()
    state.set_word(ADDRESSES[0], 1, 5)
    before = EMPTY_STATE.apply([state.close()[0]])
    state.set_account(ADDRESSES[0], (0, 1, EMPTY_CODE_HASH))
    after = before.apply([state.close()[0]])
    assert before.root == EMPTY_STATE.root
    assert after.root == plain_root(state)
    assert not after.orphan_storage


def test_words_of_no_account_prove_nothing() -> None:
    state = State()
    state.set_word(ADDRESSES[0], 1, 5)
    assert EMPTY_STATE.apply([state.close()[0]]).prove_word(ADDRESSES[0], 1) == []


def test_initial_trie_has_what_was_deleted_since() -> None:
    state, timeline = State(), []
    play(
        state,
        [("set_account", ADDRESSES[0], (1, 1, EMPTY_CODE_HASH)), ("set_word", ADDRESSES[0], 1, 7)],
    )
    begun = EMPTY_STATE.apply([state.close()[0]])
    for later in ("delete_storage", ("set_word", 1, 8), ("set_word", 2, 9), "delete_account"):
        name, *args = [later] if isinstance(later, str) else later
        play(state, [(name, ADDRESSES[0], *args)])
        timeline.append(state.close()[0])
    assert initial_trie(state, timeline).root == begun.root


def test_worlds_share_words_that_stay() -> None:
    state = State()
    for address in ADDRESSES:
        play(
            state, [("set_account", address, (1, 1, EMPTY_CODE_HASH)), ("set_word", address, 1, 1)]
        )
    first = EMPTY_STATE.apply([state.close()[0]])
    state.set_account(ADDRESSES[0], (2, 1, EMPTY_CODE_HASH))
    second = first.apply([state.close()[0]])
    assert second.lookup(ADDRESSES[0])[1] is first.lookup(ADDRESSES[0])[1]


def test_undone_transaction_changes_nothing() -> None:
    state = State()
    play(state, [("set_account", ADDRESSES[0], (1, 1, EMPTY_CODE_HASH))])
    state.undo(START)
    assert EMPTY_STATE.apply([state.close()[0]]) == EMPTY_STATE
