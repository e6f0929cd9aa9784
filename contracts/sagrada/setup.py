"""Sitting down to play: cards and frames are dealt, and a game is laid out from what was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from chain.errors import Revert, require
from contracts.sagrada.dice import Chance, full_bag
from contracts.sagrada.instructions import fill_pool
from contracts.sagrada.library import LIBRARY, Library
from contracts.sagrada.messages import OUT_OF_BOUNDS
from contracts.sagrada.state import BoardTool, Player, RoundTrack, State, Turn
from contracts.sagrada.turns import round_from
from contracts.sagrada.window import Frame, Window

FEWEST: Final = 2
MOST: Final = 4
CARDS_IN_PLAY: Final = 3  # of the public objectives, and of the tools
FRAMES_OFFERED: Final = 4


@dataclass(frozen=True, slots=True)
class Seat:
    """A player as they sit down: with the frame they chose and the private objective they drew."""

    username: str
    frame: Frame | None
    objective: int | None


def deal_private_objectives(
    players: int, chance: Chance, library: Library = LIBRARY
) -> tuple[int, ...]:
    require(FEWEST <= players <= MOST, OUT_OF_BOUNDS)
    return _deal(library.private, players, chance)


def offer_frames(
    players: int, chance: Chance, library: Library = LIBRARY
) -> tuple[tuple[Frame, ...], ...]:
    """Four frames for each player to choose one of; no frame is offered twice."""
    require(FEWEST <= players <= MOST, OUT_OF_BOUNDS)
    numbers = _deal(range(len(library.frames)), players * FRAMES_OFFERED, chance)
    frames = [library.frames[number] for number in numbers]
    starts = range(0, len(frames), FRAMES_OFFERED)
    return tuple(tuple(frames[start : start + FRAMES_OFFERED]) for start in starts)


def new_game(seats: Sequence[Seat], chance: Chance, library: Library = LIBRARY) -> State:
    require(FEWEST <= len(seats) <= MOST, "A game needs two to four players.")
    players = _players(seats)
    bag = full_bag(chance)
    objectives = _deal(library.public, CARDS_IN_PLAY, chance)
    tools = tuple(
        BoardTool(number) for number in _deal(tuple(library.tools), CARDS_IN_PLAY, chance)
    )
    order = round_from(0, len(players))
    state = State(RoundTrack(), bag, (), Turn(), objectives, tools, order, players)
    return fill_pool(state, chance)


def _players(seats: Sequence[Seat]) -> tuple[Player, ...]:
    players = []
    for seat in seats:
        if seat.frame is None:
            raise Revert("A player has no window frame.")
        window = Window(seat.frame)
        players.append(Player(seat.username, seat.frame.difficulty, window, seat.objective))
    names = [seat.username for seat in seats]
    require(all(seat.objective is not None for seat in seats), "A player has no private objective.")
    require(all(names.count(name) == 1 for name in names), "Two players have the same name.")
    return tuple(players)


def _deal(deck: Sequence[int], count: int, chance: Chance) -> tuple[int, ...]:
    """So many cards off the deck, each any of those left."""
    left = list(deck)
    dealt = []
    for _ in range(count):
        card = chance.choice(tuple(left), tag="cards")
        left.remove(card)
        dealt.append(card)
    return tuple(dealt)
