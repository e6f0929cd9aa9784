"""Plays a whole game of Mage Duel on a chain, restores the board from the middle of it, and plays that to its end.

Both players lay the top tile where it pays most at once, use a joker when it fits nowhere, and skip when they have none left.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from chain import Address, Chain
from contracts.mage_duel import (
    CityContestDraw,
    CityContestWon,
    Moved,
    Player,
    PlayerProfile,
    RoadContestDraw,
    RoadContestWon,
    Skiped,
    TrophyProgress,
    TrophyProgression,
    deploy,
    replay,
    rules,
)
from contracts.mage_duel.playouts import Duel
from contracts.mage_duel.scoring import immediate_points
from contracts.mage_duel.state import Move, PlayerSide, State
from contracts.mage_duel.tiles import TILES

SHOWN_AFTER = 20  # a board is shown whenever so many moves were made
BRANCHED_AT = 40  # the move after which the second game takes up the first
INDENT = " " * 7
COLOURS = {"B": "1;34", "R": "1;31", "c": "33", "r": "37", "f": "32"}


def main(chain: Chain) -> None:
    world = deploy(chain)
    chance, (alice, bob, carol, dave) = Random(5), chain.accounts[:4]
    profile = world.system(PlayerProfile)
    for player in (alice, bob):
        profile.become_controller(sender=player)
    title("The game")
    duel = Duel(world, alice, bob)
    play(duel, chance)
    show_end(duel)
    show_trophies(duel)
    second = branch(duel, carol, dave)
    play(second, chance)
    show_end(second)
    show_log(chain, duel)


def play(duel: Duel, chance: Random) -> None:
    """Plays on until the game is over."""
    while (state := duel.state).ending is None:
        duel.chain.advance(chance.randint(5, 60))
        receipt = duel.make(choose(state, chance))
        tell(receipt.events, duel)
        if duel.board.moves_done % SHOWN_AFTER == 0:
            show_board(duel.state)
    show_board(duel.state)


def choose(state: State, chance: Random) -> Move:
    *_, skip = moves = rules.legal_moves(state)
    tiles = [move for move in moves if move.tile is not None]
    able = [move for move in tiles if not move.is_joker] or tiles
    best = max((gain(state, move) for move in able), default=0)
    return chance.choice([move for move in able if gain(state, move) == best] or [skip])


def gain(state: State, move: Move) -> int:
    """Return the points of this tile."""
    content = (move.tile or 0, move.rotation, int(move.side))
    return sum(immediate_points(state.ring, 8 * move.col + move.row, content))


def tell(events: Iterable[Any], duel: Duel) -> None:
    """A line for the move, and one for each resulting contest and trophy task."""
    lines = [text for event in events for text in told(event, duel)]
    for line in sorted(lines, key=lambda line: line.startswith(INDENT)):
        print(line)


def told(event: Any, duel: Duel) -> Iterator[str]:
    match event:
        case Moved():
            tile = f"{TILES[event.tile or 0].name}, turned {event.rotation}"
            kind, where = "joker " if event.is_joker else "", f"({event.col}, {event.row})"
            yield f"{event.move_id:>3}  {side(event.player, duel)} {kind}{tile}, at {where}"
        case Skiped():
            yield f"{event.move_id:>3}  {side(event.player, duel)} skips"
        case CityContestWon() | RoadContestWon():
            points = f"{event.blue_points} blue and {event.red_points} red points"
            winner = event.winner.name.title()
            yield f"{INDENT}{type(event).__name__[:4].lower()} of {points}: {winner} wins it"
        case CityContestDraw() | RoadContestDraw():
            points = f"{event.blue_points} point{'s' * (event.blue_points != 1)} each"
            yield f"{INDENT}{type(event).__name__[:4].lower()} of {points}: a draw"
        case TrophyProgression():
            yield f"{INDENT}{side(event.player_id, duel).strip()} reports {event.task_id}"


def side(player: Address, duel: Duel) -> str:
    return "Blue" if player == duel.players[PlayerSide.BLUE] else "Red "


def show_board(state: State) -> None:
    board, _, facts = rules.draw(state).partition("\n\n")
    print(f"\n{painted(board)}\n\n{facts}")


def painted(board: str) -> str:
    """Add colours on a terminal."""
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return board
    return "".join(
        f"\033[{COLOURS[symbol]}m{symbol}\033[0m" if symbol in COLOURS else symbol
        for symbol in board
    )


def show_end(duel: Duel) -> None:
    title("The end")
    outcome, scores = duel.game.outcome(duel.board_id), duel.game.score(duel.board_id)
    assert outcome is not None
    for colour in PlayerSide:
        (city, road), jokers = scores[colour], duel.state.jokers[colour]
        player = duel.world.read(Player, duel.players[colour])
        paid = f"{outcome.totals[colour]} points, balance {player.balance}"
        print(f"{colour.name.title():5}{city} city + {road} road + {jokers} jokers: {paid}")
    print(f"{'nobody' if outcome.winner is None else outcome.winner.name.title()} wins\n")


def show_trophies(duel: Duel) -> None:
    title("Trophies")
    profile = duel.world.system(PlayerProfile)
    for player in duel.players:
        reports = [each for each in duel.world.all(TrophyProgress) if each.player_id == player]
        counts = ", ".join(f"{each.task_id} {each.count}" for each in reports)
        print(f"{side(player, duel)} has done {counts}")
        print(f"     and got {', '.join(profile.trophies_of(player)) or 'nothing'}")
    print()


def branch(duel: Duel, host: Address, guest: Address) -> Duel:
    """Another game, with other players, from the middle of this one."""
    title(f"The board as it stood after move {BRANCHED_AT}, played on by others")
    taken = duel.game.create_snapshot(duel.board_id, BRANCHED_AT, sender=host)
    duel.game.create_game_from_snapshot(taken.events[0].snapshot_id, sender=host)
    return Duel(duel.world, host, guest)


def show_log(chain: Chain, duel: Duel) -> None:
    title("The receipt log")
    moves = chain.receipts.where(entry="make_move", ok=True)
    gas = sum(receipt.gas_used for receipt in moves)
    print(f"{moves.count()} tiles laid for {gas // moves.count()} gas each, on average")
    board_id, made = duel.board_id, duel.board.moves_done
    history = [duel.game.board_at(board_id, number) for number in range(made + 1)]
    print(
        f"{len(history)} boards of the first game seen again, the last as it is: {history[-1] == duel.board}"
    )
    again = replay(chain.receipts)
    print(
        f"all sent again on a fresh chain: same state root {again.state_root() == chain.state_root()}"
    )
    print(f"last block: 0x{chain.block_hash().hex()}")


def title(text: str) -> None:
    print(f"== {text} ==\n")


if __name__ == "__main__":
    main(Chain())
