"""The pages: the address and the function of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from chain.explorer.pages import (
    accounts,
    activity,
    blocks,
    boards,
    contracts,
    events,
    search,
    sql,
    stats,
    transaction,
    worlds,
)

# A function takes the site and the request, and returns a `Page` or a response.
PAGES: Final[dict[str, Callable[..., object]]] = {
    "/": activity.activity,
    "/tx/{which}": transaction.transaction,
    "/boards": boards.boards,
    "/board/{contract}/{board:path}.svg": boards.picture,
    "/board/{contract}/{board}": boards.board,
    "/board/{contract}/{board}/{ply}": boards.board,
    "/events": events.events,
    "/contracts": contracts.contracts,
    "/contract/{name}": contracts.contract,
    "/contract/{name}/{entry}": contracts.entry,
    "/worlds": worlds.worlds,
    "/world/{namespace}": worlds.world,
    "/world/{namespace}/{model}": worlds.model,
    "/accounts": accounts.accounts,
    "/account/{name:path}": accounts.account,
    "/blocks": blocks.blocks,
    "/block/{number}": blocks.block,
    "/sql": sql.sql,
    "/search": search.search,
    "/stats": stats.stats,
}
WITH_FORMS: Final = (contracts.entry,)
