"""Reports of the results in a folder, each a file of its own."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

from chain.arena.comparison import Comparison, compare
from chain.arena.find_game import digest_of, find_game
from chain.arena.plan import Plan
from chain.arena.report_page import SHOWN_FAILURES, report_page
from chain.arena.store import FILE, Store
from chain.foundation.whole_file import write_whole
from chain.pictures import Picture, picture_of
from chain.simulator.catalogue import ContractNotFound

AGAINST: Final = "against"  # the folder of other versions' results, a folder each


def report_of(store: Store) -> str:
    """Return the report of the games from number 0 to the first missing one."""
    tally = store.kept_tally
    failures = list(islice(store.failures(), SHOWN_FAILURES))
    board, comparisons = _board_of(tally.plan), comparisons_of(store)
    return report_page(tally, failures, board, comparisons, store.folder)


def comparisons_of(store: Store) -> list[Comparison]:
    """Return the comparisons with all other versions of the game whose results are next to these."""
    if store.folder is None:
        return []
    comparisons = []
    for file in sorted((store.folder / AGAINST).glob(f"*/{FILE}")):
        with Store(file.parent, writes=False) as other:
            comparisons.append(compare(file.parent.name, store, other))
    return comparisons


def write_report(folder: Path, file: Path | None = None) -> Path:
    """Write the report of a folder's results, by default into the same folder."""
    with Store(folder, writes=False) as store:
        page = report_of(store)
    target = file or folder / "report.html"
    write_whole(target, page)
    return target


def _board_of(plan: Plan) -> Picture | None:
    """Return the board at the start of a game; None if the game's code has changed."""
    try:
        if digest_of(plan.target) != plan.digest:
            return None
    except ContractNotFound:
        return None
    table = find_game(plan.target).by_rules(len(plan.strategies), Random(plan.seed(0)))
    return picture_of(table.state)
