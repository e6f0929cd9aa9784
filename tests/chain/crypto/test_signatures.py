"""Both implementations of signatures: in C, and in Python where the C library has no wheel."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from hypothesis import assume, given, settings
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


@pytest.mark.skipif(find_spec("coincurve") is None, reason="no wheel")
def test_curve_is_in_c_where_its_library_is() -> None:
    assert not isinstance(curve(), InPython)


@settings(max_examples=20, deadline=None)
@given(bytes32, bytes32)
def test_signature_is_that_of_the_library(key: bytes, message: bytes) -> None:
    coincurve = pytest.importorskip("coincurve")
    assume(any(key) and key < b"\xff" * 15)
    signature = coincurve.PrivateKey(key).sign_recoverable(message, hasher=None)
    assert curve().sign(key, message) == signature
    with pytest.raises(ValueError, match="must be 32 bytes"):  # C would read beyond its end
        curve().sign(key, message[:31])


@pytest.mark.parametrize("curve", [curve(), SLOW], ids=["in C", "in Python"])
def test_what_no_key_made_is_refused(curve: InPython) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # each library says it in its own words
        curve.recover(b"\xff" * 64 + b"\0", bytes(32))
    with pytest.raises(ValueError, match=r"[Ss]ecret"):
        curve.public_key(bytes(32))
    with pytest.raises(ValueError, match=r"[Ss]ecret"):
        curve.sign(bytes(32), bytes(32))
