"""Mage Duel played by strategies: `boardchain play contracts.mage_duel`.

Chance is told: both tables draw from the same, and the one on a chain loads what was drawn. Moves come all in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from chain import Chain
from chain.arena import Game, Greedy, Result, Uniform, result_of
from contracts.mage_duel import rules
from contracts.mage_duel.board import cell_at
from contracts.mage_duel.contract import Game as Duels
from contracts.mage_duel.playouts import Duel
from contracts.mage_duel.profile import PlayerProfile
from contracts.mage_duel.ring import draw_sizes, lay_ring
from contracts.mage_duel.scoring import immediate_points
from contracts.mage_duel.state import Move, State
from contracts.mage_duel.world import deploy

START: Final = 1_704_070_800  # when the board is opened
PAUSE: Final = 12  # seconds between two moves


class _Table:
    """What a table on a chain and one by the rules have in common."""

    state: State
    chance: Random

    def turn(self) -> int:
        """Blue opens."""
        last = self.state.last_move
        return 0 if last is None else int(last.side.opponent)

    def moves(self) -> Sequence[Move]:
        return [move for move in rules.legal_moves(self.state) if move.side == self.turn()]

    def result(self) -> Result | None:
        end = rules.outcome(self.state)
        if end is None:
            return None
        return result_of(end.ending.name.lower().replace("_", " "), end.totals)

    def text(self) -> str:
        return rules.to_text(self.state)

    def draw_opening(self) -> tuple[int, list[int]]:
        """The place of the first tile in the deck, and the slots of the ring."""
        first = self.chance.randrange(sum(rules.USUAL.deck))
        return first, [self.chance.randrange(size) for size in draw_sizes(rules.USUAL)]

    def draw_after(self, move: Move) -> list[int]:
        """The place in the deck of the tile that comes up after a move, if one does."""
        tiles = len(rules.tiles_to_draw(self.state, move))
        return [self.chance.randrange(tiles)] if tiles else []


class RulesTable(_Table):
    def __init__(self, seats: int, chance: Random) -> None:
        self.chance = chance
        drawn, slots = self.draw_opening()
        self.state = rules.start(lay_ring(rules.USUAL, slots), drawn, START)
        self.components = rules.no_components()

    def make(self, move: Move) -> None:
        (drawn,) = self.draw_after(move) or (0,)
        now = self.state.updated_at + PAUSE
        self.state = rules.play(self.state, self.components, move, now, drawn).state


class ChainTable(_Table):
    def __init__(self, chain: Chain, seats: int, chance: Random) -> None:
        self.chain, self.chance = chain, chance
        world = deploy(chain)
        host, guest = chain.accounts[:2]
        world.system(Duels).create_game(sender=host)
        chain.set_time(START)
        drawn, slots = self.draw_opening()
        with chain.loaded(draw=[drawn], edges=slots):
            self.duel = Duel(world, host, guest)
        self.state = self.duel.state

    def make(self, move: Move) -> None:
        self.chain.set_time(self.state.updated_at + PAUSE)
        drawn = self.draw_after(move)
        with self.chain.loaded(**({"draw": drawn} if drawn else {})):
            self.duel.make(move)
        self.state = self.duel.state


def gain(state: State, move: Move) -> int:
    """What a tile pays at once; a joker, which is worth points at the end, less its price."""
    if move.tile is None:
        return 0
    content = (move.tile, move.rotation, int(move.side))
    points = sum(immediate_points(state.ring, cell_at(move.col, move.row), content))
    return points - rules.USUAL.joker_price if move.is_joker else points


def place(state: State, move: Move) -> tuple[str, ...]:
    """The cell that gets a tile."""
    return () if move.tile is None else (f"{move.col},{move.row}",)


class Placing:
    """Lays any tile nine times in ten if one fits, else skips."""

    def choose(self, state: State, moves: Sequence[Move], chance: Random) -> Move:
        *placements, skip = moves
        return chance.choice(placements) if placements and chance.random() < 0.9 else skip


PLAY: Final = Game[State, Move](
    contracts=(Duels, PlayerProfile),
    seats=(2,),
    strategies={"random": Uniform, "placing": Placing, "greedy": lambda: Greedy(gain)},
    on_chain=ChainTable,
    by_rules=RulesTable,
    parts=place,
)
