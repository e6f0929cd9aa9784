"""Texts of a contract hold no address in memory, and no wording of one version of Python."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest

from chain import Chain, Contract, call
from chain.abi.texts import revert_data


class Plain:
    pass


class Colour(Enum):
    RED = 1


class Teller(Contract):
    @call
    def write(self) -> list[str]:
        return [str(Plain()), f"{Plain()!r}", str([Plain()]), f"{ {1: Plain()} }", str(Colour.RED)]


class Writer(Contract):
    @call
    def slip(self) -> None:
        [][0]

    @call
    def say(self) -> None:
        raise ValueError("said by its author")


@pytest.fixture
def writer() -> Any:
    return Chain(guard=False).deploy(Writer)


def test_objects_are_written_without_addresses() -> None:
    told = Chain().deploy(Teller).write()
    plain = "<Plain object>"
    assert told.return_value == [plain, plain, f"[{plain}]", f"{{1: {plain}}}", "Colour.RED"]


def test_words_of_python_are_for_people_only(writer: Any) -> None:
    receipt = writer.slip(check=False)
    assert receipt.error.text == "IndexError: list index out of range"
    assert receipt.output == revert_data("IndexError")  # for contracts
    assert writer.say(check=False).output == revert_data("ValueError: said by its author")
