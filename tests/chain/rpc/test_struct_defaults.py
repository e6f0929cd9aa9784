"""A struct from outside: what is left out of its JSON has the default of its class."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from chain import Chain, Contract, view
from chain.rpc.errors import RpcError
from chain.types import u8
from tests.chain.explorer.visitor import Visitor


class Spot(NamedTuple):
    row: u8
    column: u8 = 7


@dataclass(frozen=True)
class Clue:
    colour: u8 | None = None
    rank: u8 = 2
    spots: list[Spot] = field(default_factory=list)


class Lanterns(Contract):
    @view
    def told(self, clue: Clue) -> str:
        return f"{clue.colour} {clue.rank} {[*map(tuple, clue.spots)]}"


CLUES = [
    ({"rank": 1}, "None 1 []"),
    ({}, "None 2 []"),
    ([5], "5 2 []"),
    ({"colour": 3, "spots": [{"row": 1}, {"row": 1, "column": 2}]}, "3 2 [(1, 7), (1, 2)]"),
]


@pytest.mark.parametrize(("clue", "told"), CLUES)
def test_json_takes_defaults(
    chain: Chain, ask: Callable[..., Any], clue: object, told: str
) -> None:
    lanterns = chain.deploy(Lanterns)
    message = {"to": str(lanterns.address), "entry": "told", "args": {"clue": clue}}
    assert ask("chain_look", message)["result"] == told


@pytest.mark.parametrize(
    "clue", [{"colour": 1, "row": 1}, {"spots": [{"column": 1}]}, [1, 2, [], 4]]
)
def test_a_missing_member_is_refused(chain: Chain, ask: Callable[..., Any], clue: object) -> None:
    lanterns = chain.deploy(Lanterns)
    message = {"to": str(lanterns.address), "entry": "told", "args": {"clue": clue}}
    with pytest.raises(RpcError, match="is incomplete: write "):
        ask("chain_look", message)


def test_a_form_takes_defaults(chain: Chain) -> None:
    chain.deploy(Lanterns)
    typed = json.dumps({"rank": 9}).replace(" ", "")
    page = Visitor(chain).get(f"/contract/Lanterns/told?a.clue={typed}&try=1")
    assert '"None 9 []"' in page.text
