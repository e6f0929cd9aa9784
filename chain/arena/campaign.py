"""A campaign: the missing games of a plan are played and stored, until all exist or a test is decided."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path

from chain.arena.estimates import Sprt
from chain.arena.plan import Plan
from chain.arena.player_process import STANDARD, PlayerSetting
from chain.arena.scheduler import rows_from
from chain.arena.store import Store
from chain.arena.supervisor import Supervisor
from chain.arena.tally import Tally
from chain.foundation.folder_lock import locked

CampaignWatch = Callable[
    [int, Tally], object
]  # takes the number of new games, and the tally so far


def play(
    plan: Plan,
    games: int,
    *,
    workers: int = 1,
    out: Path | None = None,
    sprt: Sprt | None = None,
    chunk: int | None = None,
    setting: PlayerSetting = STANDARD,
    scheduler: str | None = None,
    watch: CampaignWatch = lambda done, tally: None,
) -> Tally:
    """Play the games from 0 to `games` that are not in the folder `out` yet, and store each chunk as it comes. Return their
    tally.

    The rows depend only on the plan, not on the `workers` of this machine or of a Dask `scheduler`, on `chunk` (games
    requested at a time, by default about a second's worth) or on `setting`. With `sprt` the campaign ends at the first pair
    at which the test is decided.

    >>> plan = Plan.of("contracts.deblockle", ["random"], bare=True)
    >>> play(plan, games=2).games
    2
    """
    if sprt is not None and not plan.is_duel:
        raise ValueError("a sequential test needs two strategies that swap seats")
    with Store(out) as store, nullcontext() if out is None else locked(out):
        store.follow(plan, games)
        tally = store.tally(sprt, until=games)
        store.keep(tally)
        early = store.games(tally.games)  # it came before a missing one
        missing = (number for number in range(tally.games, games) if number not in early)
        left = games - tally.games - sum(number < games for number in early)
        watch(games - left, tally)
        if left and not tally.is_decided:
            if scheduler is None:
                played = Supervisor(plan, missing, setting, chunk).rows(min(workers, left))
            else:
                played = rows_from(scheduler, plan, missing, setting, chunk)
            with closing(played) as chunks:
                for rows in chunks:
                    store.add(rows, tally, until=games)
                    watch(len(rows), tally)
                    if tally.is_decided:
                        break
        return tally
