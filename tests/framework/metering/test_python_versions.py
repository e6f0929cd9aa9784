"""The same result on every version of Python, or a refusal: the numbers here are those of 3.11, 3.12 and 3.13."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from heapq import nlargest, nsmallest
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, Contract, DeclarationError, call

HEAD = """from chain import Contract, call

{top}

class Told(Contract):
    @call
    def go(self) -> str:
        return {value}
"""
REFUSED = [
    ("", '"\U00011f51"', r"told\.py:8: this text has the character U\+11F51, which not every version of Python knows"),
    ("N = 10 ** 4500", "str(N)", r"told\.py:3: this takes more fuel than any call has"),
    (
        "from enum import Enum\nfrom functools import partial\nclass Kind(Enum):\n    A = 1\n    INNER = partial(str)",
        "str(Kind.INNER)",
        r"'Kind\.INNER' is or holds a \w+, which is a member on some versions of Python",
    ),
    (
        "class Text(str):\n    def __len__(self) -> int:\n        return 0",
        "Text('abc').upper()",
        r"Text\.__len__: a text or collection pays for its length, as Python reports it",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("top", "value", "why"), REFUSED)
def test_what_each_version_answers_otherwise_is_refused(
    top: str, value: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "told.py").write_text(HEAD.format(top=top, value=value), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    importlib.invalidate_caches()
    made: Any = importlib.import_module("told")
    with pytest.raises(DeclarationError, match=why):
        Chain(guard=False).deploy(made.Told)
    sys.modules.pop("told")


class Card:
    def __init__(self, number: int) -> None:
        self.number = number

    def __lt__(self, other: Card) -> bool:
        return self.number < other.number


class Nest:
    def __init__(self, depth: int) -> None:
        self.depth = depth

    def __eq__(self, other: object) -> bool:
        return self.depth > 2000 or Nest(self.depth + 1) == Nest(self.depth + 1)

    __hash__ = None  # type: ignore[assignment]


def depth_of(n: int) -> int:
    return n and 1 + depth_of(n - 1)


class Sorter(Contract):
    @call
    def sort(self) -> str:
        cards = sorted(Card(i * 7919 % 101) for i in range(100))
        cards.sort(reverse=True)
        few = nlargest(3, cards) + nsmallest(2, cards)
        cards += [Card(card.number + 1) for card in few]
        return "".join(
            str(card.number) for card in sorted(cards, key=lambda card: (card.number % 3, card))[:5]
        )

    @call
    def nest(self) -> bool:
        return Nest(0) == Nest(0)

    @call
    def deepen(self) -> str:
        return str(depth_of(500))


def test_what_an_author_compares_takes_the_same_on_every_version() -> None:
    receipt = Chain(guard=False).deploy(Sorter).sort()
    assert (receipt.return_value, receipt.ticks) == ("036912", 75800)


def test_operators_that_call_themselves_run_out_of_gas() -> None:
    receipt = Chain(guard=False).deploy(Sorter).nest(check=False)
    assert receipt.error is not None
    assert "out of gas" in str(receipt.error)


def test_stack_depth_of_the_caller_changes_nothing() -> None:
    sorter = Chain(guard=False).deploy(Sorter)

    def below(levels: int, play: Callable[[], Any]) -> Any:
        return play() if not levels else below(levels - 1, play)

    assert below(800, sorter.deepen).ticks == sorter.deepen().ticks
