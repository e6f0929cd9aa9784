"""Generated functions show their source in tracebacks, under a title that says what they do."""

from __future__ import annotations

import traceback

import pytest

from chain.values import AddressType, Field, StructType
from chain.values.source import Source


def test_traceback_shows_generated_source() -> None:
    for number, file in enumerate(("<halve Card>", "<halve Card 2>"), 1):
        halve = Source("halve Card").function("v", f"v // 0 + {number}")
        with pytest.raises(ZeroDivisionError) as raised:
            halve(4)
        frame = traceback.extract_tb(raised.value.__traceback__)[-1]
        assert (frame.name, frame.lineno, frame.line) == ("halve", 2, f"return v // 0 + {number}")
        assert frame.filename == file


def test_source_that_is_the_same_has_one_name() -> None:
    codes = [Source("give one").function("", "1") for _ in range(2)]
    assert {code.__code__.co_filename for code in codes} == {"<give one>"}


def test_encoder_is_named_by_its_type() -> None:
    encode = StructType("Card", (Field("owner", AddressType()),)).encode
    assert encode.__code__.co_filename.startswith("<encode Card")
