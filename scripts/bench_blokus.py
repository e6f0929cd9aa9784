"""The benchmarks of Blokus for scripts/bench.py, and the bars of its rules. Run alone, it measures them.

A benchmark is (name, run, calls in a round, how many times the baseline it must do). Placements are those of one random game of
four up to the first pass; a round on the chain also creates the games and has the players join, which is not counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import takewhile

from bench_runner import BenchmarkParts, compare, limit

from chain import Chain
from contracts.blokus import Blokus, Move
from contracts.blokus.legal import legal_moves
from contracts.blokus.oracle import try_everything
from contracts.blokus.perft import perft
from contracts.blokus.pieces import PIECES
from contracts.blokus.playouts import count_all_moves, midgame, random_game, random_moves
from contracts.blokus.rules import play
from contracts.blokus.state import start

GAMES = 20  # a round
PERFT = (58, 3_364, 195_112, 11_316_496)


def benchmarks() -> list[BenchmarkParts]:
    moves = placements(seed=1)
    return [
        ("Blokus placements", on_chain(moves), GAMES * len(moves), 85),
        ("Blokus bare rules", by_rules(moves), GAMES * len(moves), 0),
    ]


def placements(seed: int) -> list[Move]:
    """Return the moves of a random game until someone has to pass."""
    return list(takewhile(lambda move: not move.is_pass, random_moves(seed)))


def on_chain(moves: list[Move]) -> Callable[[int], None]:
    chain = Chain()
    blokus, players = chain.deploy(Blokus), chain.accounts[:4]

    def run(n: int) -> None:
        for _ in range(n // len(moves)):
            game = blokus.create_game(4, sender=players[0]).return_value
            for player in players[1:]:
                blokus.join(game, sender=player)
            for move in moves:
                blokus.make_move(game, move, sender=players[move.player_id - 1])

    return run


def by_rules(moves: list[Move]) -> Callable[[int], None]:
    def run(n: int) -> None:
        for _ in range(n // len(moves)):
            state = start()
            for move in moves:
                state = play(state, move)

    return run


def show_bars() -> None:
    """Show the processor time of the rules alone, and their bars."""
    state, game = midgame(), tuple(random_game(seed=7))
    slow = seconds(lambda: try_everything(state, state.turn))
    fast = seconds(lambda: legal_moves(state).count_moves(), times=200)
    report("counting, beside trying everything", slow / fast, "x", slow / fast >= 100, 100)
    listing = 1e3 * seconds(lambda: count_all_moves(game))
    report("listing all moves of a game", listing, " ms", listing < 250, 250)
    turning = 1e3 * seconds(lambda: PIECES[0].flip().rotate(270), times=1_000)
    report("flip and three rotations of a piece", turning, " ms", turning < 1, 1)
    found: list[int] = []
    counting = seconds(lambda: found.extend(perft(start(), depth) for depth in (1, 2, 3, 4)))
    is_right = tuple(found) == PERFT
    print(
        f"perft 1 to 4: {', '.join(map(str, found))} in {counting:.2f} s{limit(is_right, 'the known figures')}"
    )


def seconds(work: Callable[[], object], times: int = 1) -> float:
    begin = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - begin) / times


def report(what: str, figure: float, unit: str, met: bool, bar: int) -> None:
    print(f"{what}: {figure:,.4g}{unit}{limit(met, f'{bar}{unit}')}")


def main() -> None:
    rates = compare(benchmarks())
    share = rates["Blokus placements"][0] / rates["Blokus bare rules"][0]
    print(f"placements: {share:.0%} of the calls/s of the bare rules")
    show_bars()


if __name__ == "__main__":
    main()
