"""A chain with boards, a World, failures and hostile words, and a visitor of its pages."""

from __future__ import annotations

import pytest

from chain import Address, Chain, Contract, Key, Map, call, event, require, view
from chain.types import u64
from contracts.deblockle import Deblockle
from tests.chain.explorer.visitor import Visitor
from tests.chain.toys import Score, Scoring, Side, Spot

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "{{7*7}}<svg/onload=alert(2)>",
    "javascript:alert(3)",
    "\"'><script>alert(4)</script>",
    "\u202edrawkcab\u2069 \x00\x1b[31m</bdi></td>",
)


@event
class Noted:
    by: Key[Address]
    text: str


@event
class Painted:
    side: Key[Side]
    bright: bool
    spots: tuple[Spot, ...]
    block: u64


class Wall(Contract):
    """Whatever anybody writes: <b>bold</b>."""

    texts: Map[str, u64]

    @call
    def write(self, text: str) -> str:
        require(len(text) < 200, f"too long: {text[:40]}")
        self.texts[text] += 1
        self.emit(Noted(self.caller, text))
        self.log(f"{text}\nand a second line")
        return text

    @call
    def refuse(self, text: str) -> None:
        self.emit(Noted(self.caller, text))
        require(False, text)

    @call
    def paint(self, side: Side, bright: bool) -> None:
        self.emit(Painted(side, bright, (Spot(1, None),) if bright else (), 7))

    @view
    def echo(self, text: str) -> str:
        return text


@pytest.fixture(scope="module")
def chain() -> Chain:
    """A game of two boards, a World of scores, and a wall on which anything is written."""
    chain = Chain()
    alice, bob = chain.accounts[:2]
    first, second = chain.account("first.testnet"), chain.account("second.testnet")
    game = chain.deploy(Deblockle)
    game.create_game(first.name, second.name, 3, sender=first)
    game.make_move(0, 4, 5, 4, 4, sender=second, check=False)
    game.make_move(0, 4, 5, 4, 4, sender=first)
    game.create_game(second.name, first.name, 1, sender=second)
    world = chain.deploy_world("league", systems=[Scoring], writers={"league": [Scoring]})
    for points in (3, 4, 5):
        world.system(Scoring).win(points, sender=alice)
    assert world.read(Score, alice).points == 12
    wall = chain.deploy(Wall)
    for text in HOSTILE:
        wall.write(text, sender=bob)
        wall.refuse(text, sender=bob, check=False)
    for name in HOSTILE[:4]:
        wall.write("by a name", sender=chain.account(name[:32]))
    wall.paint(Side.RED, True)
    wall.paint(Side.BLUE, False)
    chain.deploy(Wall).write("on a second wall", sender=alice)
    with chain.block():
        wall.write("first of its block")
        wall.write("second of its block")
    return chain


@pytest.fixture(scope="module")
def visitor(chain: Chain) -> Visitor:
    return Visitor(chain)
