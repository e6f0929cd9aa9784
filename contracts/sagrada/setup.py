"""Sitting down to play: cards and frames are dealt, and a game is laid out from what was chosen.

A game that was broken off elsewhere is taken up as it lies, if it is whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from chain.errors import Revert, require
from contracts.sagrada.dice import DICE, Chance, full_bag
from contracts.sagrada.instructions import fill_pool, pool_size
from contracts.sagrada.library import CARDS_IN_PLAY, FRAMES_OFFERED, LIBRARY, MOST, Library
from contracts.sagrada.messages import OUT_OF_BOUNDS, UNKNOWN_PLAYER
from contracts.sagrada.models import Guest
from contracts.sagrada.state import ROUNDS, BoardTool, Player, RoundTrack, State, Turn
from contracts.sagrada.turns import round_from
from contracts.sagrada.window import Frame, Window

FEWEST: Final = 2
MOST_FAVOR: Final = 255  # in a game, so that none of those who hold some can come to hold more


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


def invite(
    usernames: Sequence[str], chance: Chance, library: Library = LIBRARY
) -> tuple[Guest, ...]:
    """Deal to those who want to play what they choose by: a private objective, and frames."""
    _check_names(usernames)
    objectives = deal_private_objectives(len(usernames), chance, library)
    offers = offer_frames(len(usernames), chance, library)
    return tuple(
        Guest(name, objective, tuple(library.frames.index(frame) for frame in offer))
        for name, objective, offer in zip(usernames, objectives, offers, strict=True)
    )


def choose_frame(
    guests: Sequence[Guest], username: str, frame: str, library: Library = LIBRARY
) -> tuple[Guest, ...]:
    require(
        any(guest.username == username for guest in guests), "You are not invited to this game."
    )
    guest = guest_named(guests, username)
    require(guest.chosen is None, "You have chosen your window frame already.")
    names = [offered.name for offered in frames_of(guest, library)]
    require(frame in names, f"You are offered {', '.join(names)}.")
    chosen = replace(guest, chosen=guest.offered[names.index(frame)])
    return tuple(chosen if other is guest else other for other in guests)


def guest_named(guests: Sequence[Guest], username: str) -> Guest:
    for guest in guests:
        if guest.username == username:
            return guest
    raise Revert(UNKNOWN_PLAYER)


def frames_of(guest: Guest, library: Library = LIBRARY) -> list[Frame]:
    return [library.frames[number] for number in guest.offered]


def seats_of(guests: Sequence[Guest], library: Library = LIBRARY) -> tuple[Seat, ...]:
    """Everybody with the frame they chose; who did not choose gets the first they were offered."""
    return tuple(
        Seat(
            guest.username,
            library.frames[guest.offered[0] if guest.chosen is None else guest.chosen],
            guest.objective,
        )
        for guest in guests
    )


def new_game(seats: Sequence[Seat], chance: Chance, library: Library = LIBRARY) -> State:
    _check_number(len(seats))
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
        players.append(Player(seat.username, seat.frame.difficulty, seat.objective, window))
    require(all(seat.objective is not None for seat in seats), "A player has no private objective.")
    _check_names([seat.username for seat in seats])
    return tuple(players)


def _check_number(players: int) -> None:
    require(FEWEST <= players <= MOST, "A game needs two to four players.")


def _check_names(names: Sequence[str]) -> None:
    _check_number(len(names))
    require(all(names), "A player has no name.")
    require(all(names.count(name) == 1 for name in names), "Two players have the same name.")


def check_whole(state: State) -> None:
    """A state from elsewhere can be played on if it could have been reached here."""
    players = state.players
    _check_names([player.username for player in players])
    require(_dice_ids(state) == list(range(DICE)), f"The {DICE} dice are not all there, each once.")
    turns = sorted(state.order.seats)
    require(turns == sorted([*range(len(players))] * 2), "Each player has two turns a round.")
    require(
        sum(state.track.counts) == len(state.track.dice),
        "The round track holds another number of dice than its slots.",
    )
    ahead = state.track.counts[state.track.round - 1 :]
    require(not any(ahead), "The round track holds dice of a round to come.")
    to_come = (ROUNDS - state.track.round) * pool_size(state)
    in_bag = sum(map(bool, state.bag))
    require(in_bag >= to_come, "The bag holds too few dice for the rounds to come.")
    moved = [die.id for die in state.turn.moved]
    require(len(set(moved)) == len(moved), "A die has moved twice in one turn.")
    _check_cards(state)


def _check_cards(state: State) -> None:
    tools = [tool.id for tool in state.tools]
    for cards in (tools, state.objectives):
        require(
            len(set(cards)) == len(cards) == CARDS_IN_PLAY,
            f"A game has {CARDS_IN_PLAY} different tool cards, and as many public objectives.",
        )
    in_use = (state.turn.active_tool, state.turn.passive_tool)
    require(all(tool in (0, *tools) for tool in in_use), "A tool card in use is not on the board.")
    favor = sum(player.favor_points for player in state.players)
    favor += sum(tool.favor_points for tool in state.tools)
    require(favor <= MOST_FAVOR, f"There are more than {MOST_FAVOR} favor points in all.")


def _dice_ids(state: State) -> list[int]:
    """The ids of all dice, wherever they are, in order."""
    on_windows = [die for player in state.players for die in player.window.dice]
    dice = (*state.track.dice, *state.pool, state.turn.picked, *on_windows)
    in_bag = [number for number, shade in enumerate(state.bag) if shade]
    return sorted(in_bag + [die.id for die in dice if die is not None])


def _deal(deck: Sequence[int], count: int, chance: Chance) -> tuple[int, ...]:
    """So many cards off the deck, each any of those left."""
    left = list(deck)
    dealt = []
    for _ in range(count):
        card = chance.choice(tuple(left), tag="cards")
        left.remove(card)
        dealt.append(card)
    return tuple(dealt)
