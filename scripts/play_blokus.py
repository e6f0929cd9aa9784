"""Lets the four strategies play a game of Blokus on a chain, and shows boards, ranking and events.

The strategies think beside the chain: each turn they read the position by a view and send the Move they chose.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from chain import Chain, Handle
from chain.crypto.accounts import Account
from contracts.blokus import Blokus, GameFinished, PiecePlaced, PlayerJoined, TurnPassed
from contracts.blokus.strategies import Easy, Hard, Medium, Original, Strategy

STRATEGIES: tuple[Strategy, ...] = (Easy(seed=7), Medium(), Hard(), Original())
SHOWN_AFTER = 20  # a board is shown whenever so many turns were played
BACKGROUNDS = ("", "44", "43", "41", "42")  # of no player, then of players 1 to 4, as in the box


def main(chain: Chain) -> None:
    accounts = [chain.account(f"{each.difficulty_name.lower()}.testnet") for each in STRATEGIES]
    blokus = chain.deploy(Blokus, sender=accounts[0])
    game_id = open_table(blokus, accounts)
    play(blokus, game_id, accounts)
    show_ranking(blokus, game_id)
    show_events(chain)
    show_costs(chain)


def open_table(blokus: Handle, accounts: list[Account]) -> int:
    first, *others = accounts
    game_id: int = blokus.create_game(len(accounts), sender=first).return_value
    for account in others:
        blokus.join(game_id, sender=account)
    return game_id


def play(blokus: Handle, game_id: int, accounts: list[Account]) -> None:
    turns = 0
    while player := blokus.whose_turn(game_id):
        move = STRATEGIES[player - 1].calculate_move(blokus.state(game_id).read())
        blokus.make_move(game_id, move, sender=accounts[player - 1])
        turns += 1
        if turns % SHOWN_AFTER == 0:
            show_board(blokus, game_id, f"The board after {turns} turns")
    show_board(blokus, game_id, f"The board at the end, after {turns} turns")


def show_board(blokus: Handle, game_id: int, text: str) -> None:
    title(text)
    for row in blokus.board(game_id):
        print("".join(map(square, row)))
    print()


def square(player: int) -> str:
    text = f" {player or '.'}"
    is_coloured = player and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return f"\033[30;{BACKGROUNDS[player]}m{text}\033[0m" if is_coloured else text


def show_ranking(blokus: Handle, game_id: int) -> None:
    title("The ranking")
    outcome = blokus.outcome(game_id)
    print(f"{'rank':>4}  {'player':12}{'points':>6}  left in hand")
    for rank, player in sorted(zip(outcome.ranks, range(1, 5), strict=True)):
        left = " ".join(blokus.inventory(game_id, player)) or "nothing"
        print(f"{rank:>4}  {named(player):12}{outcome.scores[player - 1]:>6}  {left}")
    print()


def show_events(chain: Chain) -> None:
    title("The events")
    print(f"{'block':>5}  {'player':12}what")
    for receipt in chain.receipts:
        for event in receipt.events:
            for player, what in told(event):
                print(f"{receipt.block_number:>5}  {player:12}{what}")
    print()


def told(event: Any) -> Iterator[tuple[str, str]]:
    match event:
        case PlayerJoined():
            yield named(event.player_id), f"joins, {event.waiting_for} to come"
        case PiecePlaced():
            pose = f"turned by {event.rotation}{', mirrored' if event.flip else ''}"
            yield named(event.player_id), f"{event.piece} at ({event.row}, {event.col}), {pose}"
        case TurnPassed():
            yield named(event.player_id), "passes and is out"
        case GameFinished():
            for player in event.winners:
                yield named(player), f"wins with {event.scores[player - 1]} points"


def named(player: int) -> str:
    return f"{player} {STRATEGIES[player - 1].difficulty_name}"


def show_costs(chain: Chain) -> None:
    title("The receipt log")
    moves = list(chain.receipts.where(entry="make_move", ok=True))
    gas = sum(receipt.gas_used for receipt in moves)
    print(f"{len(moves)} moves for {gas // len(moves)} gas each, on average")
    print(f"last block: 0x{chain.block_hash().hex()}")


def title(text: str) -> None:
    print(f"== {text} ==\n")


if __name__ == "__main__":
    main(Chain())
