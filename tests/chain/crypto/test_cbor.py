"""Rows as bytes: what is written is read, in CBOR that any reader takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain.crypto.cbor import BadCbor, decode, encode

ROWS = st.recursive(
    st.none() | st.integers(0, 2**256 - 1) | st.binary(max_size=300) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=30).map(tuple),
    max_leaves=40,
)


@given(ROWS)
def test_row_survives_encoding(row: object) -> None:
    assert decode(encode(row)) == row


@given(st.binary(max_size=60))
def test_any_bytes_decode_or_refuse(raw: bytes) -> None:
    try:
        decode(raw)
    except BadCbor:
        return


@pytest.mark.parametrize(
    ("value", "raw"),
    [
        (23, "17"),
        (24, "1818"),
        (1000, "1903e8"),
        (2**64 - 1, "1bffffffffffffffff"),
        (2**64, "c249010000000000000000"),
        ((1, (2, None)), "82018202f6"),
        (b"\1\2", "420102"),
        ("ü", "62c3bc"),
    ],
)
def test_rows_are_cbor(value: object, raw: str) -> None:
    assert encode(value).hex() == raw
