"""The benchmarks of Deblockle for scripts/bench.py: recorded games, refusals, texts and boards included."""

from __future__ import annotations

import cProfile
import json
import pstats
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chain import Chain
from contracts.deblockle import Deblockle, rules

if TYPE_CHECKING:
    from bench_runner import BenchmarkParts

GAMES = Path(__file__).parent.parent / "tests" / "vectors" / "deblockle" / "games.jsonl"


def recorded() -> list[dict[str, Any]]:
    return [json.loads(line) for line in GAMES.read_text("utf-8").splitlines()]


def moves(game: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for step in game["calls"] if step["m"] in ("make_move", "pass_move")]


def benchmarks() -> list[BenchmarkParts]:
    """Recorded games, refusals included, through the contract and through the bare rules."""
    games = recorded()
    total = sum(len(moves(game)) for game in games)
    chain = Chain()
    desk = chain.deploy(Deblockle)
    accounts = {step["by"]: chain.account(step["by"]) for game in games for step in game["calls"]}

    def play(_: int) -> None:
        for game in games:
            sender = accounts[game["calls"][0]["by"]]
            made = desk.create_game(game["first"], game["second"], game["num_cubes"], sender=sender)
            index = made.return_value
            for step in moves(game):
                entry = desk.make_move if step["m"] == "make_move" else desk.pass_move
                entry(index, *step["a"], sender=accounts[step["by"]], check=False)

    def think(_: int) -> None:
        for game in games:
            state, _report = rules.set_up(game["num_cubes"])
            for step in moves(game):
                if not step["ok"]:
                    continue  # the contract refuses these before the rules see them
                if step["m"] == "make_move":
                    state, _report = rules.make_move(state, rules.read_move(*step["a"]))
                    rules.draw(state)
                else:
                    state, _report = rules.pass_turn(state)

    return [
        ("Deblockle contract", play, total, 100),
        ("Deblockle bare rules", think, total, 0),
    ]


def show_bars() -> None:
    """Show the profile of a call, by package."""
    _, play, calls, _ = benchmarks()[0]
    play(calls)
    profile = cProfile.Profile()
    profile.runcall(play, calls)
    spent: dict[str, float] = {}
    for (file, _, name), (_, _, own, *_) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        part = part_of(file, name)
        spent[part] = spent.get(part, 0.0) + own
    whole = sum(spent.values())
    print("\nDeblockle, where the time of a call goes")
    for part, seconds in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"  {part:32}{seconds / whole:6.0%}")


def part_of(file: str, name: str) -> str:
    parts = (
        ("contracts/", "rules and contract"),
        ("layout", "storage layout"),
        ("fields", "storage layout"),
        ("frame", "words, gas, logs"),
        ("machine/", "transaction"),
        ("ledger/", "receipts and logs"),
        ("abi", "ABI"),
        ("spec", "ABI"),
        ("chain/", "entry and handle"),
    )
    found = (part for pattern, part in parts if pattern in file)
    return next(found, "compiled codecs" if file == "<string>" else "Python built-ins")
