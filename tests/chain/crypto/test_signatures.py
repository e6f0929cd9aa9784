"""Both implementations of signatures: in C, and in Python where the C library has no wheel."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain.crypto.signatures import InPython, curve

SLOW = InPython()
bytes32 = st.binary(min_size=32, max_size=32)


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 2**255), bytes32)
def test_both_roads_agree(number: int, message: bytes) -> None:
    key = number.to_bytes(32)
    assert SLOW.public_key(key) == curve().public_key(key)
    assert (signature := SLOW.sign(key, message)) == curve().sign(key, message)
    assert (
        SLOW.recover(signature, message)
        == curve().recover(signature, message)
        == curve().public_key(key)
    )


@pytest.mark.parametrize("curve", [curve(), SLOW], ids=["in C", "in Python"])
def test_what_no_key_made_is_refused(curve: InPython) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # each library says it in its own words
        curve.recover(b"\xff" * 64 + b"\0", bytes(32))
    with pytest.raises(ValueError, match=r"[Ss]ecret"):
        curve.public_key(bytes(32))
