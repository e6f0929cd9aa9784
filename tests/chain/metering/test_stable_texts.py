"""Texts of a contract are the same on every machine: no address in memory, no wording of one version of Python.

Each paragraph of `texts.txt` is the body of an entry; `texts.expected.txt` has its result.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from chain import Chain
from chain.abi.texts import revert_data

HERE = Path(__file__).parent
PARAGRAPHS = (HERE / "texts.txt").read_text("utf-8").strip().split("\n\n")
BODIES = dict(paragraph.split("\n", 1) for paragraph in PARAGRAPHS)
HEAD = """
import re
from dataclasses import dataclass
from enum import Enum
from chain import Address, Contract, Revert, call

class Plain:
    def method(self):
        pass

@dataclass
class Box:
    held: Plain

class Colour(Enum):
    RED = 1

class Odd(Exception):
    pass

def helper():
    pass

def tell(e):
    return f"[{e}]"

def fail(words):
    raise ValueError(words)

class Clumsy(Contract):
    @call
    def slip(self) -> str:
        return [][0]

    @call
    def say(self) -> str:
        raise ValueError("said by its author")

class Writer(Contract):
    clumsy: Address

    @call
    def begin(self) -> None:
        self.clumsy = self.deploy(Clumsy)
"""


def source() -> str:
    entries = []
    for number, body in enumerate(BODIES.values()):
        inner = body.replace("\n", "\n        ")
        entries.append(f"\n    @call\n    def entry{number}(self) -> str:\n        {inner}\n")
    return HEAD + "".join(entries)


def test_texts_are_the_same_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Callable[[Path, str], None]
) -> None:
    (tmp_path / "writing.py").write_text(source(), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    made = importlib.import_module("writing")
    chain = Chain(guard=False)
    writer = chain.deploy(made.Writer)
    writer.begin()
    said = [
        f"{title}\n    {getattr(writer, f'entry{number}')().return_value}\n"
        for number, title in enumerate(BODIES)
    ]
    golden(HERE / "texts.expected.txt", "".join(said))
    receipt = chain.deploy(made.Clumsy).slip(check=False)
    assert receipt.error is not None
    assert receipt.error.text == "IndexError: list index out of range"  # for who reads it
    assert receipt.output == revert_data("IndexError")  # for contracts
    sys.modules.pop("writing")
