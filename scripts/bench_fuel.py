"""The cost of fuel: the four games on chain with ticks, compared with the same games without."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import bench_blokus
import bench_deblockle
import bench_mage_duel
import bench_sagrada

from chain import Chain
from chain.foundation import creation_hooks
from chain.metering.analysis import Twins, known_twins
from chain.metering.program import build_of

GAMES = (bench_deblockle, bench_blokus, bench_mage_duel, bench_sagrada)
ROUNDS = 15
BAR = 1.06


def show_bars() -> None:
    """Both ways take turns, so that they see the same machine; the best round of each counts."""
    print("\nfuel: the time of a game on chain, with ticks to without")
    for game in GAMES:
        chains: list[Chain] = []
        note: Callable[[Any], None] = chains.append
        creation_hooks.creation_listeners.append(note)
        name, play, calls, *_ = game.benchmarks()[0]
        creation_hooks.creation_listeners.remove(note)
        play(calls)
        twins = twins_on(chains)
        best = {True: float("inf"), False: float("inf")}
        for _ in range(ROUNDS):
            for counted in best:
                for function, (plain, ticked, _) in twins.items():
                    function.__code__ = ticked if counted else plain
                best[counted] = min(best[counted], timed(partial(play, calls)))
        ratio = best[True] / best[False]
        print(f"  {name}: {ratio:.2f}x (bar {BAR}x: {'met' if ratio <= BAR else 'MISSED'})")


def twins_on(chains: list[Chain]) -> dict[FunctionType, Twins]:
    """Return the functions of the contracts on these chains, each with both codes."""
    classes = {program.spec.cls for chain in chains for program in chain.machine.programs.values()}
    functions = {function for cls in classes for function in build_of(cls).reach.functions}
    return {function: twins for function in functions if (twins := known_twins(function))}


def timed(run: Callable[[], Any]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start
