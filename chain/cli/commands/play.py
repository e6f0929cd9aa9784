"""Play many games between strategies and count who wins.

$ boardchain play contracts.blokus --games 1000 --strategies greedy,random --workers 2
$ boardchain play contracts.deblockle --bare --check 1
$ boardchain play contracts.deblockle --strategies greedy --against HEAD~1
"""

from __future__ import annotations

import time
from pathlib import Path
from sqlite3 import OperationalError

import click

from chain.arena import OtherPlan, Plan, Store, Tally, play
from chain.arena.comparison import Comparison, compare
from chain.arena.estimates import Sprt
from chain.arena.match import Row, replay_into
from chain.arena.player_process import PlayerSetting
from chain.arena.report import AGAINST, write_report
from chain.arena.scheduler import NoDask, check_address
from chain.arena.store import NoResults
from chain.arena.versions import RulesVersion, version_of
from chain.cli import output
from chain.cli.error_report import NO
from chain.cli.progress import ProgressStep, bar
from chain.simulator.catalogue import ContractNotFound

_SOME = click.IntRange(min=1)
SHARES = ("strategy", "seat", "games", "wins", "share", "low", "high")
DIFFERENCES = ("average", "here", "there", "difference", "low", "high")


class _Percent(click.ParamType[float]):
    name = "percent"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:  # fmt: skip
        try:
            share = float(str(value).removesuffix("%")) / 100
        except ValueError:
            share = -1
        if not 0 <= share <= 1:
            self.fail(f"{value!r} is not a share such as 1%", param, ctx)
        return share


@click.command()
@click.argument("target")
@click.option("--games", type=_SOME, default=100, show_default=True, help="Number of games.")
@click.option(
    "--strategies",
    default="random",
    show_default=True,
    metavar="NAME,…",
    help="One for each seat, or one for all.",
)
@click.option("--workers", type=_SOME, default=1, show_default=True, help="Number of processes.")
@click.option(
    "--scheduler",
    metavar="tcp://127.0.0.1:8786|tls://…",
    help="Let the workers of this Dask scheduler play.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the results.  [default: runs/<game>]",
)
@click.option("--campaign", default="", help="Another name gives other games.")
@click.option("--bare", is_flag=True, help="Play by the rules alone, without a chain.")
@click.option(
    "--check",
    type=_Percent(),
    default="0%",
    metavar="PERCENT",
    help="With --bare: also play this share of the games on a chain.",
)
@click.option(
    "--sprt",
    type=float,
    nargs=2,
    metavar="ELO0 ELO1",
    help="Stop once a test decides whether the first strategy is ELO0 or ELO1 stronger.",
)
@click.option(
    "--against",
    metavar="REV|FOLDER",
    help="Play the same games under the rules of another Git revision or folder, and compare.",
)
@click.option(
    "--most-plies",
    type=_SOME,
    default=100_000,
    show_default=True,
    help="A game with more plies fails.",
)
@click.option(
    "--most-seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=600,
    show_default=True,
    help="A game that takes more computing time fails.",
)
@click.option(
    "--chunk",
    type=_SOME,
    help="Games that a process takes at a time.  [default: about a second's worth]",
)
@click.option(
    "--replay",
    type=click.IntRange(min=0),
    metavar="N",
    help="Play game N of the results again, into the file of a chain.",
)
@output.json_option
def command(
    target: str,
    games: int,
    strategies: str,
    workers: int,
    scheduler: str | None,
    out: Path | None,
    campaign: str,
    bare: bool,
    check: float,
    sprt: tuple[float, float] | None,
    against: str | None,
    most_plies: int,
    most_seconds: float,
    chunk: int | None,
    replay: int | None,
    json: bool,
) -> int:
    """Play games of TARGET, a module such as contracts.blokus, whose play.py offers strategies.

    Results go to results.sqlite in the folder --out. If some exist, only the missing games are played. If a game fails, its
    transcript is kept there, and the exit code is 1. The folder also gets a report, report.html.
    """
    folder = out or Path("runs") / target.rpartition(".")[2]
    if replay is not None:
        return _replay(target, folder, replay)
    try:
        names = [name.strip() for name in strategies.split(",")]
        plan = Plan.of(
            target, names, campaign=campaign, bare=bare, check=check, most_plies=most_plies
        )
        other = None if against is None else version_of(plan, against)
        if other is not None and sprt is not None:
            raise click.UsageError("--sprt may stop early: compare complete campaigns")
        if scheduler is not None:
            check_address(scheduler)

        def played(plan: Plan, folder: Path, sprt: Sprt | None, root: Path | None) -> Tally:
            with bar("playing", games) as step:
                return play(
                    plan, games, workers=workers, scheduler=scheduler, out=folder, chunk=chunk, sprt=sprt,
                    setting=PlayerSetting(root, most_seconds), watch=_Watch(step, plan),
                )  # fmt: skip

        tally = played(plan, folder, None if sprt is None else Sprt(*sprt), None)
        if other is not None:
            played(other.plan, folder / AGAINST / other.name, None, other.root)
    except (ContractNotFound, NoDask, OtherPlan, ValueError) as error:
        raise click.UsageError(str(error)) from error
    except RuntimeError as error:  # players, their code or their scheduler are gone
        raise click.ClickException(str(error)) from error
    except OperationalError as error:
        told = f"{folder}: {error}; once that is mended, repeat the command to continue"
        raise click.ClickException(told) from error
    comparison = None if other is None else _compared(folder, other)
    _show(tally, comparison, json)
    _remark(tally)
    if comparison is not None:
        output.remark(f"{comparison.changed} of {comparison.games} games differ from {comparison.name}")  # fmt: skip
    output.remark(f"report: {write_report(folder)}")
    return _tell_failures(folder, tally)


class _Watch:
    """Moves the bar, with games per second and the estimate so far."""

    def __init__(self, step: ProgressStep, plan: Plan) -> None:
        self._step, self._plan = step, plan
        self._began, self._played = 0.0, 0

    def __call__(self, done: int, tally: Tally) -> None:
        if not self._began:  # earlier results say nothing about speed
            self._began = time.perf_counter()
        else:
            self._played += done
        took = time.perf_counter() - self._began
        rate = f"{self._played / took:.1f} games/s" if took and self._played else ""
        self._step(done, "  ".join(filter(None, (rate, _short_estimate(tally)))))


def _short_estimate(tally: Tally) -> str:
    """Return an estimate that fits next to a bar."""
    if tally.pairs.are_alike:
        best = next(iter(tally.shares()), None)
        return "" if best is None else "{} {:.0%}–{:.0%}".format(best.strategy, *best.interval)
    text = "{:+.0f} ± {:.0f} Elo".format(*tally.pairs.elo)
    return text if tally.sprt is None else f"{text}  LLR {tally.sprt.llr(tally.pairs):.2f}"


def _estimate(tally: Tally) -> str:
    elo, error = tally.pairs.elo
    text = f"{tally.plan.strategies[0]} {elo:+.1f} ± {error:.1f} Elo"
    if tally.sprt is not None:
        low, high = tally.sprt.bounds
        text += f"  LLR {tally.sprt.llr(tally.pairs):.2f} ({low:.2f} to {high:.2f})"
    return text


def _compared(folder: Path, other: RulesVersion) -> Comparison:
    with Store(folder) as here, Store(folder / AGAINST / other.name) as there:
        return compare(other.name, here, there)


def _show(tally: Tally, comparison: Comparison | None, json: bool) -> None:
    """Show who wins and what other rules change: as tables, or as one value in JSON, a list or an object with both."""
    shares, differences = _shares(tally, json), _differences(comparison, json)
    if json and comparison is not None:
        named = (("shares", SHARES, shares), ("differences", DIFFERENCES, differences))
        output.as_json(
            {name: [dict(zip(columns, row, strict=True)) for row in rows] for name, columns, rows in named}
        )  # fmt: skip
        return
    output.table(SHARES, shares, json=json)
    if comparison is not None:
        output.table(DIFFERENCES, differences, json=json)


def _shares(tally: Tally, json: bool) -> list[tuple[object, ...]]:
    return [
        (each.strategy, "all" if each.seat is None else each.seat + 1, each.games, each.wins,
         *(share if json else f"{share:.1%}" for share in (each.share, *each.interval)))
        for each in tally.shares()
    ]  # fmt: skip


def _differences(comparison: Comparison | None, json: bool) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for each in () if comparison is None else comparison.differences:
        show = "{:.1%}".format if each.is_share else "{:.1f}".format
        numbers = (each.here, each.there, each.value, *each.interval)
        rows.append((each.what, *(numbers if json else map(show, numbers))))
    return rows


def _remark(tally: Tally) -> None:
    output.remark(f"{tally.games} games, {tally.plies.total} plies; digest of the results {tally.digest[:16]}")  # fmt: skip
    if not tally.pairs.are_alike:
        output.remark(_estimate(tally))
    if tally.accepted is not None:
        output.remark(f"{tally.plan.strategies[0]} is {tally.accepted:g} Elo stronger, not {_other(tally):g}")  # fmt: skip


def _other(tally: Tally) -> float:
    assert tally.sprt is not None
    return tally.sprt.elo0 + tally.sprt.elo1 - (tally.accepted or 0)


def _tell_failures(folder: Path, tally: Tally) -> int:
    if not tally.failures:
        return 0
    with Store(folder) as store:
        first = next(store.failures())
    output.remark(f"{tally.failures} games failed, the first is {first.game}: {first.failure}")
    return NO


def _replay(target: str, folder: Path, number: int) -> int:
    """Play a game again, and compare it with its row if it has one."""
    try:
        with Store(folder, writes=False) as store:
            plan, known = store.known_plan, store.row(number)
    except NoResults as problem:
        raise click.UsageError(f"{problem} with --out") from None
    if plan.target != target:
        raise click.UsageError(f"the results in {folder} are not of {target}")
    if Plan.of(plan.target, plan.strategies).digest != plan.digest:
        raise click.UsageError(
            f"the code of {plan.target} is not that of the results in {folder}:"
            " restore it, or play new games into another --out"
        )
    file = folder / f"game-{number}.chain"
    row = replay_into(plan, number, file)
    output.key_values(_facts(file, row), json=False)
    if known is not None and known.outcome != row.outcome:
        output.remark("it ends differently from the results")
        return NO
    return 0


def _facts(file: Path, row: Row) -> dict[str, object]:
    return {
        "chain": str(file),
        "seats": row.seats,
        "ending": row.ending or row.failure,
        "scores": row.scores,
        "plies": row.plies,
        "text": row.text,
    }
