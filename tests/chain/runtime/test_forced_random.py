"""Forced random outcomes are part of the receipt, and can be forced again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chain import Chain, Contract, call
from chain.machine.forced_random import RecordedOutcomes
from chain.types import u8


class Urn(Contract):
    last: u8

    @call
    def roll(self) -> u8:
        return self.random.below(6, tag="die")

    @call
    def pick(self) -> str:
        return self.random.choice(["red", "green", "blue"], tag="ball")

    @call
    def deal(self) -> tuple[u8, ...]:
        cards = [7, 7, 8, 9]
        self.random.shuffle(cards, tag="deck")
        return tuple(cards)


OUTCOMES = [
    ("roll", {"die": [4]}, (("die", 4),)),
    ("pick", {"ball": ["blue"]}, (("ball", 2),)),
    ("deal", {"deck": [[9, 7, 8, 7]]}, (("deck", (3, 0, 2, 1)),)),
    ("roll", {"coin": []}, ()),
    ("roll", {"die": []}, (("die", None),)),
    ("roll", {"die": [6]}, (("die", 6),)),
    ("roll", {"die": ["six"]}, (("die", -1),)),
    ("pick", {"ball": ["black"]}, (("ball", -1),)),
    ("deal", {"deck": [[7, 8, 9, 9]]}, (("deck", (0, 2, 3, -1)),)),
]


@pytest.mark.parametrize(("entry", "outcomes", "drawn"), OUTCOMES)
def test_record_holds_what_was_forced(entry: str, outcomes: dict[str, Any], drawn: Any) -> None:
    chain = Chain()
    urn = chain.deploy(Urn)
    with chain.loaded(**outcomes):
        receipt = getattr(urn, entry)(check=False)
    assert receipt.forced_random == drawn


@pytest.mark.parametrize(("entry", "outcomes", "drawn"), OUTCOMES)
def test_record_forces_the_same(entry: str, outcomes: dict[str, Any], drawn: Any) -> None:
    chain, again = Chain(), Chain()
    urn, other = chain.deploy(Urn), again.deploy(Urn)
    with chain.loaded(**outcomes):
        first = getattr(urn, entry)(check=False)
    again.machine.loaded = RecordedOutcomes(first.forced_random)
    second = getattr(other, entry)(check=False)
    assert (second.ok, second.return_value, second.forced_random) == (
        first.ok,
        first.return_value,
        drawn,
    )


def test_misspelled_tag_is_reported_with_drawn_tags(chain: Chain) -> None:
    urn = chain.deploy(Urn)
    told = r"^loaded outcomes that were not drawn: \{'dye': \[3\]\}; there were draws of 'die'$"
    with pytest.raises(AssertionError, match=told), chain.loaded(dye=[3]):
        urn.roll()


def test_looking_ahead_forces_nothing(chain: Chain) -> None:
    urn = chain.deploy(Urn)
    with chain.loaded(die=[3, 5]):
        urn.roll.simulate()
        assert [urn.roll().forced_random for _ in range(2)] == [(("die", 3),), (("die", 5),)]
    assert urn.roll().forced_random == ()


def test_file_keeps_what_was_forced(tmp_path: Path) -> None:
    path = tmp_path / "urn.chain"
    with Chain.open(path) as chain, chain.loaded(deck=[[9, 8, 7, 7]]):
        chain.deploy(Urn).deal()
    with Chain.open(path, contracts=[Urn]) as again:
        assert again.receipts[-1].forced_random == (("deck", (3, 2, 0, 1)),)
