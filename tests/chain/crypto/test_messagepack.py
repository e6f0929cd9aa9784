"""Rows as bytes: what is written is read, in MessagePack that any reader takes."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain.crypto.messagepack import BadRow, decode, encode

NUMBERS = st.integers(0, 2**256 - 1) | st.sampled_from([2**63 - 1, 2**63, 2**64 - 1, 2**64])
TEXTS = st.text(max_size=40) | st.just("\ud800")
ROWS = st.recursive(
    st.none() | NUMBERS | st.binary(max_size=300) | TEXTS,
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
    except BadRow:
        return


@pytest.mark.parametrize("raw", ["", "0101", "91" * 5000, "c1", "d4ff00", "d40300", "d402ff"])
def test_other_bytes_are_refused(raw: str) -> None:
    with pytest.raises(BadRow, match="not a row"):
        decode(bytes.fromhex(raw))


@pytest.mark.parametrize("value", [-1, 1.5, {"a": 1}, object()])
def test_what_no_row_holds_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="cannot be stored in a row"):
        encode((1, value))


def test_any_reader_takes_it() -> None:
    row = (1, 2**64 - 1, b"\1\2", "ü", None, (True, [3]))
    assert msgspec.msgpack.decode(encode(row)) == [1, 2**64 - 1, b"\1\2", "ü", None, [1, [3]]]
