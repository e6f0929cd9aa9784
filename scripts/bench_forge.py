"""The same contracts in Python and, by Foundry's forge, in Solidity: recorded games, and fuzzing with an invariant.

Of forge only what more work adds to its processor time counts, not its start. `scripts/setup_clients` installs it.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bench_counter import Counter
from bench_four import TURN, Four, playing, recorded
from bench_runner import limit, timed

from chain.fuzz import Fuzz, invariant
from chain.fuzz.report import Report

HERE = Path(__file__).parent
CLIENTS = HERE.parent / "tests" / "clients"
ROUNDS = 5
PLAYED = 10  # times that forge plays the recorded games
RUNS = 100  # of a campaign of forge, of 500 calls each
PLAYS = 20  # of a campaign here, the same
CALLS = 500
BARS = {"game": 0.85, "fuzzing": 1 / 6}


class CounterFuzz(Fuzz):
    contracts = (Counter,)
    time_passes = False

    @invariant
    def count(self) -> None:
        count = self.handle.fields.count
        assert count >= 1 or count == 0


class FourFuzz(Fuzz):
    contracts = (Four,)
    time_passes = False

    def set_up(self) -> None:
        super().set_up()
        self.handle.create(*self.accounts[:2])

    @invariant
    def turns_alternate(self) -> None:
        """Nobody has moved twice more than the other."""
        board = self.handle.fields.boards[0]
        player = board >> TURN
        squares = [board >> 2 * square & 3 for square in range(42)]
        ahead = squares.count(1) - squares.count(2)
        assert ahead in (0, 1) if player == 0 else ahead == player - 1


def show() -> None:
    """Both sides take turns, so that they see the same machine; the best round of each counts."""
    node = shutil.which(
        "node", path=f"{CLIENTS / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"
    )
    program = next(CLIENTS.glob("node_modules/@foundry-rs/forge-*/bin/forge*"), None)
    if node is None or program is None:
        print("  forge is not installed: scripts/setup_clients does it")
        return
    with forge(program, node) as test:
        show_game(test)
        for contract, description in (("Counter", CounterFuzz), ("Four", FourFuzz)):
            show_fuzzing(test, contract, description)


def show_game(test: Callable[..., float]) -> None:
    """A call is a transaction on both sides, refusals included."""
    moves = recorded(40)
    play = playing(moves)
    env = {"MOVES": f"0x{moves.hex()}", "LAST_BOARD": str(play())}

    def playing_there(times: int) -> float:
        return test("test_play", "--isolate", ROUNDS=str(times), **env)

    here, once, often = zip(
        *((timed(play), playing_there(1), playing_there(1 + PLAYED)) for _ in range(ROUNDS)),
        strict=True,
    )
    ours, theirs = len(moves) / min(here), PLAYED * len(moves) / (min(often) - min(once))
    compare("four in a row", ours, theirs, BARS["game"])


def show_fuzzing(test: Callable[..., float], contract: str, description: type[Fuzz]) -> None:
    def campaign(runs: int) -> float:
        return test("invariant", f"--match-contract={contract}", FOUNDRY_INVARIANT_RUNS=str(runs))

    def calls_per_second(lines: bool) -> float:
        reports: list[Report] = []
        took = timed(lambda: reports.append(description.run(PLAYS, CALLS, lines=lines)))
        return reports[0].calls / took

    plain, guided, few, many = zip(
        *(
            (calls_per_second(False), calls_per_second(True), campaign(1), campaign(1 + RUNS))
            for _ in range(ROUNDS)
        ),
        strict=True,
    )
    theirs = RUNS * CALLS / (min(many) - min(few))
    compare(f"fuzzing {contract}", max(plain), theirs, BARS["fuzzing"])
    compare(f"fuzzing {contract}, by lines", max(guided), theirs, 0)


def compare(name: str, ours: float, theirs: float, bar: float) -> None:
    met = limit(ours / theirs >= bar, f"{bar:.2f}") if bar else ""
    print(f"  {name:26}{ours:10,.0f} calls/s, forge {theirs:10,.0f}: {ours / theirs:.3f}{met}")


@contextmanager
def forge(program: Path, node: str) -> Iterator[Callable[..., float]]:
    """Yield a function that runs a test of scripts/forge, and returns its processor time."""
    with TemporaryDirectory() as folder:
        shutil.copytree(HERE / "forge", folder, dirs_exist_ok=True)

        def test(name: str, *options: str, **env: str) -> float:
            path = f"{Path(node).parent}{os.pathsep}{os.environ['PATH']}"
            words = [
                str(program),
                "test",
                f"--match-test={name}",
                "--threads=1",
                "--use",
                str(CLIENTS / "solc.mjs"),
            ]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(
                [*words, *options],
                cwd=folder,
                env={**os.environ, "PATH": path, **env},
                capture_output=True,
                text=True,
                check=False,
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            assert not done.returncode, done.stdout + done.stderr
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        yield test


if __name__ == "__main__":
    show()
