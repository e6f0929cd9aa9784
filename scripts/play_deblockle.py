"""Plays the calls of the Deblockle document and its sample endgame, and shows boards, logs and the receipt log."""

from __future__ import annotations

from chain import Chain, Handle
from chain.crypto.accounts import Account
from contracts.deblockle import Deblockle

Square = tuple[int, int]

OPENING: tuple[tuple[Square, Square], ...] = (
    ((4, 7), (3, 7)),
    ((4, 1), (5, 1)),
    ((3, 7), (3, 6)),
    ((3, 6), (4, 4)),
    ((5, 1), (5, 2)),
    ((5, 2), (5, 6)),
)
ENDGAME: tuple[tuple[Square, Square], ...] = (
    ((4, 4), (5, 4)),
    ((5, 4), (4, 3)),
    ((5, 6), (5, 5)),
    ((4, 3), (4, 2)),
)


def main(chain: Chain) -> None:
    players = chain.account("first.testnet"), chain.account("second.testnet")
    game = chain.deploy(Deblockle)
    play_document(game, *players)
    play_endgame(game, players)
    show_receipts(chain)


def play_document(game: Handle, first: Account, second: Account) -> None:
    """The examples of the document, on a game of three cubes a player."""
    title("The calls of the document: three cubes a player")
    show(game.create_game(first.name, second.name, 3, sender=first).logs)
    show(game.game_state.simulate(0).logs)
    show(game.make_move(0, 4, 5, 4, 4, sender=first).logs)
    show(game.pass_move(0, sender=second).logs)
    show(game.cube_state.simulate(0, 3, 1).logs)
    refused = game.pass_move(0, sender=second, check=False)
    print(f"second.testnet passes out of turn: {refused.error}\n")


def play_endgame(game: Handle, players: tuple[Account, Account]) -> None:
    """The sample endgame, reached from a game of one cube a player."""
    title("The sample endgame: one cube a player")
    index = game.create_game(players[0].name, players[1].name, 1, sender=players[0]).return_value
    for move in OPENING:
        make_move(game, index, players, *move)
    show(game.game_state.simulate(index).logs)
    for move in ENDGAME:
        show(make_move(game, index, players, *move))
    record = game.game_state(index)
    print(f"finished: {record.is_finished}, winner: player {record.game.active_player}\n")


def make_move(
    game: Handle, index: int, players: tuple[Account, Account], origin: Square, target: Square
) -> list[object]:
    mover = players[game.game_state(index).game.active_player - 1]
    logs: list[object] = game.make_move(index, *origin, *target, sender=mover).logs
    return logs


def show_receipts(chain: Chain) -> None:
    """Show the receipt log."""
    title("The receipt log")
    print(chain.sql("select block, sender_name, entry, ok, gas_used, error from receipts"))
    moves = chain.receipts.where(entry="make_move", ok=True)
    print(f"\n{moves.count()} moves in {len(chain.blocks) - 1} blocks, the last:\n")
    print(chain.activity(since=len(chain.receipts) - 1))
    print(f"last block: 0x{chain.block_hash().hex()}")


def title(text: str) -> None:
    print(f"== {text} ==\n")


def show(logs: list[object]) -> None:
    print("\n".join(map(str, logs)), end="\n\n")


if __name__ == "__main__":
    main(Chain())
