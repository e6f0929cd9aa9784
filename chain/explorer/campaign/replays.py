"""Games of a campaign played again, each on a chain in memory that has the pages of any chain. The last few are kept."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Final

from chain.arena.find_game import digest_of, find_game
from chain.arena.match import LOST, Row, replay_on
from chain.arena.plan import Plan
from chain.explorer.application import Application
from chain.explorer.page import PageProblem
from chain.explorer.site import Site
from chain.explorer.standalone import of_chain
from chain.simulator.catalogue import ContractNotFound
from chain.simulator.chain import Chain

_KEPT: Final = 4
_SECONDS: Final = 60.0  # of computing that a game may take here


def base_of(game: int) -> str:
    """Return where the pages of a game's chain are."""
    return f"/game/{game}/chain"


class Replays:
    """The chains of the games that were looked at last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, Application] = OrderedDict()
        self._turn = asyncio.Lock()  # two games at a time would only slow each other down

    async def pages(self, plan: Plan, row: Row) -> Application:
        """Return the pages of a game's chain."""
        async with self._turn:
            if row.game not in self._kept:
                chain, again = await asyncio.to_thread(_played, plan, row)
                told = f"Game {row.game} of {plan.target}"
                if again.outcome != row.outcome:
                    told += ", which does not end as the results say"
                base, within = base_of(row.game), (f"/game/{row.game}", told)
                site = Site(chain, of_chain(chain), writes=False, within=within)
                self._kept[row.game] = Application(site, base)
            self._kept.move_to_end(row.game)
            if len(self._kept) > _KEPT:
                _, oldest = self._kept.popitem(last=False)
                oldest.site.live.close()
            return self._kept[row.game]

    def close(self) -> None:
        """End the connections that open pages listen on."""
        for pages in self._kept.values():
            pages.site.live.close()


def _played(plan: Plan, row: Row) -> tuple[Chain, Row]:
    if row.failure == LOST:  # it might end this process, too
        raise PageProblem(f"Game {row.game} is not played again here: {LOST}.", 409)
    try:
        if digest_of(plan.target) != plan.digest:
            changed = f"the code of {plan.target} has changed since"
            raise PageProblem(f"This game cannot be played again: {changed}.", 409)
    except ContractNotFound as missing:
        raise PageProblem(f"This game cannot be played again: {missing}", 409) from None
    chain = Chain(seed=row.seed)
    for contract in find_game(plan.target).contracts:
        chain.declare(contract)
    return chain, replay_on(plan, row.game, chain, seconds=_SECONDS)
