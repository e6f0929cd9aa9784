"""Pictures for a failing test: the board that its last transaction was about, before that transaction and after it.

They are written into pytest's cache folder, which no version control keeps. A picture that cannot be drawn is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from chain.pictures import Boards, Picture, boards_of
from chain.simulator.chain import Chain
from chain.simulator.handle import Handle


def sections(item: pytest.Item, began: Mapping[Chain, int]) -> list[tuple[str, str]]:
    """Write the pictures of a test, and return where they are. `began` has each chain's receipts at the test's beginning."""
    cache: pytest.Cache | None = getattr(item.config, "cache", None)
    if cache is None:
        return []
    stem = re.sub(r"\W+", "-", item.nodeid.rpartition("/")[2]).strip("-")[:100]
    written: list[Path] = []
    for chain, start in began.items():
        with suppress(Exception):  # a report must not fail
            stages = before_and_after(chain, start)
            folder = cache.mkdir("boardchain")
            for name, picture in zip(("before", "after"), stages, strict=False):
                path = folder / f"{stem}{len(written) // 2 or ''}-{name}.svg"
                path.write_text(picture.svg(dark=True), "utf-8")
                written.append(path)
    return [("board before and after", "\n".join(map(str, written)))] if written else []


def before_and_after(chain: Chain, start: int) -> tuple[Picture, ...]:
    """Return a board before and after the last transaction from `start` on that names one; nothing if none does."""
    for receipt in reversed(chain.receipts[start:]):
        program = receipt.program
        boards = None if program is None else boards_of(program.spec.cls)
        if program is None or boards is None or not (named := boards.named_by(receipt)):
            continue
        now = Handle(chain, program.spec.cls, receipt.address)
        then = Handle(chain.at(max(0, receipt.block_number - 1)), now.contract, now.address)
        after = boards.picture(now, named[-1])
        before = _picture_if_any(boards, then, named[-1]) or after
        return before, after.since(before)
    return ()


def _picture_if_any(boards: Boards, game: Handle, board_id: Any) -> Picture | None:
    """Return the picture of a board, or None if it did not exist then."""
    try:
        return boards.picture(game, board_id)
    except Exception:
        return None
