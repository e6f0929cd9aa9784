"""The rows of receipts in a chain's file are read as they were written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain import Chain
from chain.crypto.messagepack import decode, encode
from chain.ledger.file.rows import deserialize_row, serialize_row
from chain.ledger.receipts import ReceiptRow
from chain.machine.failure import Failure
from chain.machine.state import ACCOUNT, STORAGE
from tests.chain.plays import PLAYS, begin

CALLED = b"\xdd" * 32
# Around each width that a number may have.
edges = st.sampled_from(
    [0, 1, 23, 24, 255, 256, *(2**bits + n for bits in (16, 32, 64, 128) for n in (-1, 0)), 2**256 - 1]
)  # fmt: skip
numbers = edges | st.integers(0, 1 << 70)
small = st.integers(0, 1 << 33)
addresses, hashes = st.binary(min_size=20, max_size=20), st.binary(min_size=32, max_size=32)
texts_of_bytes = st.binary(max_size=40) | st.binary(min_size=250, max_size=270)
accounts = st.none() | st.tuples(numbers, numbers, hashes)
words = st.none() | edges
changes = st.lists(
    st.tuples(addresses, st.just(ACCOUNT), accounts, accounts)
    | st.tuples(addresses, edges, words, words)
    | st.tuples(addresses, st.just(STORAGE), st.just(((1, 2),)), st.just(())),
    max_size=4,
).map(lambda found: tuple(item for change in found for item in change))
logs = st.lists(
    st.tuples(
        addresses, st.lists(edges, max_size=4).map(tuple), texts_of_bytes, st.none() | texts_of_bytes,
        st.sampled_from([CALLED, None, b"\xee" * 32]),
    ),
    max_size=3,
).map(tuple)  # fmt: skip
rare = st.integers(0, 9)


@st.composite
def rows(draw: st.DrawFn) -> ReceiptRow:
    def seldom(values: st.SearchStrategy[Any], otherwise: Any) -> Any:
        return draw(values) if draw(rare) == 9 else otherwise

    return ReceiptRow(
        draw(small), draw(small), seldom(small, 3), draw(st.integers(0, 4)), draw(addresses), seldom(st.none(), b"t" * 20),
        draw(texts_of_bytes), seldom(numbers, 0), draw(small), seldom(numbers, 7), draw(small), seldom(numbers, 0),
        seldom(st.just(((b"a" * 20, (1, 2)),)), ()), seldom(texts_of_bytes, None), draw(addresses), seldom(st.none(), CALLED),
        draw(texts_of_bytes), seldom(st.just(Failure("revert", "no", b"x", None, "a.py", 3)), None),
        draw(small), draw(small), draw(changes), draw(logs), seldom(changes, ()), seldom(logs, ()), (),
        seldom(st.just((("die", 3),)), ()), draw(small),
    )  # fmt: skip


def read_again(row: ReceiptRow) -> ReceiptRow:
    return deserialize_row(decode(encode((*serialize_row(row), 1))))


@given(rows())
def test_row_is_read_as_it_was_written(row: ReceiptRow) -> None:
    assert read_again(row) == row


@pytest.mark.parametrize("play", PLAYS, ids=lambda play: play.__name__)
def test_receipts_of_plays_are_read_as_they_were_written(play: Any, chain: Chain) -> None:
    begin(chain)
    play(chain)
    for receipt in chain.receipts:
        *before, failure = told(receipt.row)
        *after, again = told(read_again(receipt.row))
        assert before == after
        assert (failure and replace(failure, cause=None)) == again


def told(row: tuple[Any, ...]) -> list[Any]:
    """Return the items of a row but for the failures of its messages, and at the end its own."""
    calls = [(*call[:7], call[7] and call[7].text, call[8]) for call in row[24]]
    return [*row[:17], *row[18:24], calls, *row[25:], row[17]]
