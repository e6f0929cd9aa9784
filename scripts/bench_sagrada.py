"""The benchmarks of Sagrada for scripts/bench.py, and the bar of a whole game. Run alone, it measures them.

A benchmark is (name, run, calls in a round, how many times the baseline it must do). What is played is one game of four simple
players, from the invitation to the last pass, undos included; the random outcomes of that game are loaded again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bench_runner import BenchmarkParts, compare, limit, timed

from chain import Chain
from contracts.sagrada import Sagrada, rules, setup
from contracts.sagrada import history as histories
from contracts.sagrada.history import History
from contracts.sagrada.models import Guest
from contracts.sagrada.playouts import NAMES, Seeded
from contracts.sagrada.state import current_player, is_finished
from contracts.sagrada.strategies import Simple, careful, hasty, tinkerer

GAMES = 5  # a round
ROUNDS = 5
MOST = 4  # times the bare rules that a game on the chain may take
BAR = 60  # times eth-tester's counter


@dataclass
class Outcomes:
    """Random numbers that are recorded by tag."""

    source: Seeded
    noted: dict[str, list[int]] = field(
        default_factory=lambda: {"bag": [], "cards": [], "draw": [], "roll": []}
    )

    def choice(self, options: Sequence[int], /, *, tag: str) -> int:
        found = self.source.choice(options, tag=tag)
        self.noted[tag].append(found)
        return found


class Told:
    """Random numbers as they were recorded."""

    def __init__(self, noted: dict[str, list[int]]) -> None:
        self._left = {tag: iter(values) for tag, values in noted.items()}

    def choice(self, options: Sequence[int], /, *, tag: str) -> int:
        return next(self._left[tag])


@dataclass(frozen=True)
class Script:
    """A game to be replayed: the commands, and the random outcomes."""

    lines: list[tuple[str, str]]
    noted: dict[str, list[int]]


def write_script(seed: int) -> Script:
    chance, lines = Outcomes(Seeded(seed)), list[tuple[str, str]]()
    players = {
        each.name: each
        for each in (careful(NAMES[0]), hasty(NAMES[1]), tinkerer(NAMES[2]), hasty(NAMES[3]))
    }
    history = begin(chance)
    while not is_finished(history.state):
        name = current_player(history.state).username
        text = choose(history, players[name])
        history = (
            histories.undo(history)
            if text == "undo"
            else histories.play(history, name, text, chance)
        )
        lines.append((name, text))
    return Script(lines, chance.noted)


def choose(history: History, player: Simple) -> str:
    legal = rules.legal_moves(history.state)
    return player.choose(history.state, legal, histories.can_undo(history))


def begin(chance: Outcomes | Told) -> History:
    """Play from the invitation to the opening: each player takes the first frame."""
    guests: tuple[Guest, ...] = setup.invite(NAMES, chance)
    for name in NAMES:
        frame = setup.frames_of(setup.guest_named(guests, name))[0]
        guests = setup.choose_frame(guests, name, frame.name)
    return History(rules.new_game(setup.seats_of(guests), chance))


def benchmarks() -> list[BenchmarkParts]:
    script = write_script(seed=1)
    calls = GAMES * (len(script.lines) + 1 + len(NAMES))
    return [
        ("Sagrada game of four", on_chain(script, looks=False), calls, BAR),
        ("Sagrada bare rules", by_rules(script, looks=False), calls, 0),
    ]


def on_chain(script: Script, looks: bool) -> Callable[[int], None]:
    """A game by calls; with `looks`, each player first requests the legal commands."""
    chain = Chain()
    sagrada, accounts = chain.deploy(Sagrada), {name: chain.account(name) for name in NAMES}

    def run(_: int) -> None:
        for _ in range(GAMES):
            with chain.loaded(**script.noted):
                game_id = sagrada.create_game(list(NAMES)).return_value
                for name in NAMES:
                    frame = sagrada.window_frames(game_id, name)[0].name
                    sagrada.choose_frame(game_id, frame, sender=accounts[name])
                for name, text in script.lines:
                    if looks:
                        sagrada.legal_commands(game_id)
                    if text == "undo":
                        sagrada.undo(game_id, sender=accounts[name])
                    else:
                        sagrada.execute_command(game_id, text, sender=accounts[name])

    return run


def by_rules(script: Script, looks: bool) -> Callable[[int], None]:
    def run(_: int) -> None:
        for _ in range(GAMES):
            chance = Told(script.noted)
            history = begin(chance)
            for name, text in script.lines:
                if looks:
                    rules.legal_moves(history.state)
                history = (
                    histories.undo(history)
                    if text == "undo"
                    else histories.play(history, name, text, chance)
                )

    return run


def show_bars() -> None:
    """Show the processor time that the chain adds to a game, and to one whose players ask what is legal."""
    script = write_script(seed=1)
    played = beside_rules(script, looks=False)
    print(f"a game of four: {played:.2f}x its bare rules{limit(played <= MOST, f'{MOST}x')}")
    asked = beside_rules(script, looks=True)
    print(f"with all legal commands listed before each: {asked:.2f}x")


def beside_rules(script: Script, looks: bool) -> float:
    """The two take turns, so that both see the same machine, and the best round of each counts."""
    chain, bare = on_chain(script, looks), by_rules(script, looks)
    rounds = [(timed(lambda: chain(0)), timed(lambda: bare(0))) for _ in range(ROUNDS)]
    return min(on_it for on_it, _ in rounds) / min(without for _, without in rounds)


def main() -> None:
    compare(benchmarks())
    show_bars()


if __name__ == "__main__":
    main()
