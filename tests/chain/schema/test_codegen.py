"""Generated functions show their source in tracebacks, under a title that says what they do."""

from __future__ import annotations

import traceback

import pytest

from chain.abi.encode import encoder
from chain.schema.codegen import SourceBuilder
from chain.schema.value_types import AddressType, Field, StructType


def test_traceback_shows_generated_source() -> None:
    for number, file in enumerate(("<halve Card>", "<halve Card 2>"), 1):
        halve = SourceBuilder("halve Card").run(["def halve(v):", f" return v // 0 + {number}"], {})
        with pytest.raises(ZeroDivisionError) as raised:
            halve["halve"](4)
        frame = traceback.extract_tb(raised.value.__traceback__)[-1]
        assert (frame.name, frame.lineno, frame.line) == ("halve", 2, f"return v // 0 + {number}")
        assert frame.filename == file


def test_source_that_is_the_same_has_one_name() -> None:
    codes = [SourceBuilder("give one").run(["def one(): return 1"], {})["one"] for _ in range(2)]
    assert {code.__code__.co_filename for code in codes} == {"<give one>"}


def test_encoder_is_named_by_its_type() -> None:
    encode = encoder(StructType("Card", (Field("owner", AddressType()),)))
    assert encode.__code__.co_filename.startswith("<encode Card")
