"""Our persistent trie and the `trie` library's give the same roots and proofs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trie import HexaryTrie

from chain.crypto import rlp, trie

# Few digits, so that paths share beginnings; short values, so that nodes are kept inside their parents.
KEYS = st.lists(st.sampled_from([0x00, 0x01, 0x10, 0x11, 0xF0]), min_size=3, max_size=3).map(bytes)
VALUES = st.binary(max_size=3) | st.binary(min_size=30, max_size=34)
BATCHES = st.lists(st.dictionaries(KEYS, VALUES, max_size=8), max_size=6)


def put(node: trie.Node | None, values: dict[bytes, bytes]) -> trie.Node | None:
    return trie.update(node, sorted((key.hex(), value, None) for key, value in values.items()))


def library_trie(values: dict[bytes, bytes]) -> HexaryTrie:
    made = HexaryTrie({})
    for key, value in values.items():
        made[key] = value
    return made


@given(BATCHES)
def test_roots_equal_the_library(batches: list[dict[bytes, bytes]]) -> None:
    ours, theirs = None, HexaryTrie({})
    for batch in batches:
        ours = put(ours, batch)
        for key, value in batch.items():
            theirs[key] = value
        assert trie.root(ours) == theirs.root_hash


@settings(max_examples=50)
@given(BATCHES)
def test_old_roots_stay_valid(batches: list[dict[bytes, bytes]]) -> None:
    nodes: list[trie.Node | None] = [None]
    for batch in batches:
        nodes.append(put(nodes[-1], batch))
    everything: dict[bytes, bytes] = {}
    for node, batch in zip(nodes, [{}, *batches], strict=True):
        everything |= batch
        assert trie.root(node) == library_trie(everything).root_hash


@given(st.dictionaries(KEYS, VALUES.filter(len)), KEYS)
def test_finds_what_was_put(values: dict[bytes, bytes], key: bytes) -> None:
    leaf = trie.find(put(None, values), key.hex())
    assert (leaf.value if leaf else None) == values.get(key)


@given(st.dictionaries(KEYS, VALUES.filter(len), min_size=1), KEYS)
def test_proofs_convince_the_library(values: dict[bytes, bytes], key: bytes) -> None:
    node = put(None, values)
    proof = trie.proof(node, key.hex())
    decoded = [rlp.decode(raw) for raw in proof]
    assert HexaryTrie.get_from_proof(trie.root(node), key, decoded) == values.get(key, b"")
    assert all(len(raw) >= 32 for raw in proof[1:])  # shorter ones are kept inside their parents


def test_nothing_has_the_empty_root() -> None:
    assert trie.root(None) == HexaryTrie({}).root_hash == trie.EMPTY_ROOT
    assert trie.proof(None, "00") == []


def test_owner_finds_what_it_kept() -> None:
    node = trie.update(None, [("00", b"a", "mine"), ("01", b"b", "yours")])
    node = trie.update(node, [("10", b"c", "ours"), ("01", b"", None)])
    assert [getattr(trie.find(node, path), "payload", None) for path in ("00", "01", "10")] == [
        "mine",
        None,
        "ours",
    ]


def test_shares_what_did_not_change() -> None:
    values = {bytes([i, j]): b"v" * 40 for i in range(0, 256, 16) for j in range(4)}
    old = put(None, values)
    new = put(old, {b"\x30\x01": b"other"})
    assert isinstance(old, trie.Branch) and isinstance(new, trie.Branch)
    same = [a is b for a, b in zip(old.children, new.children, strict=True)]
    assert same == [i != 3 for i in range(16)]


def test_a_key_may_not_be_a_prefix_of_another() -> None:
    with pytest.raises(IndexError):
        put(None, {b"\x01": b"a", b"\x01\x02": b"b"})
