"""Our RLP and the `rlp` library agree."""

from __future__ import annotations

import pytest
import rlp as oracle
from hypothesis import given
from hypothesis import strategies as st

from chain.crypto import rlp

ITEMS = st.recursive(
    st.binary(max_size=80), lambda items: st.lists(items, max_size=6), max_leaves=30
)


def deep(levels: int) -> bytes:
    return rlp.wrap(deep(levels - 1)) if levels else b""


@given(ITEMS)
def test_encodes_as_the_library(item: rlp.Item) -> None:
    assert rlp.encode(item) == oracle.encode(item)


@given(ITEMS)
def test_decodes_what_it_encodes(item: rlp.Item) -> None:
    assert rlp.decode(rlp.encode(item)) == item


@given(st.integers(min_value=0, max_value=2**300))
def test_numbers_have_no_leading_zeros(number: int) -> None:
    assert rlp.encode(number) == oracle.encode(number)


@pytest.mark.parametrize("size", [0, 1, 55, 56, 255, 256, 65_535, 65_536])
def test_lengths_turn_over_alike(size: int) -> None:
    item: list[rlp.Item] = [b"\x01" * size, [b"x"] * size]
    assert rlp.encode(item) == oracle.encode(item)
    assert rlp.decode(rlp.encode(item)) == item


@given(
    st.binary(max_size=12)
    | st.builds(bytes.__add__, ITEMS.map(oracle.encode), st.binary(max_size=2))
)
def test_refuses_what_the_library_refuses(raw: bytes) -> None:
    try:
        expected = oracle.decode(raw)
    except oracle.exceptions.DecodingError:
        expected = None
    try:
        found = rlp.decode(raw)
    except rlp.BadRlp:
        found = None
    assert found == expected


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("", "it ends too early"),
        ("83aabb", "it ends too early"),
        ("c3aabb", "it ends too early"),
        ("aabb", "it ends too early"),
        ("b8", "it ends too early"),
        ("81aabb", "it has extra bytes at its end: 1"),
        ("8105", "the byte 0x05 needs no length, but has one"),
        ("b80201", "a length is not in its shortest form"),
        (deep(34).hex(), "its lists are nested deeper than 32"),
    ],
)
def test_says_what_is_wrong(raw: str, words: str) -> None:
    with pytest.raises(rlp.BadRlp, match=f"^{words}$"):
        rlp.decode(bytes.fromhex(raw))
