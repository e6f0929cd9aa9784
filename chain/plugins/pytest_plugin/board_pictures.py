"""Pictures for a failing test: the board that its last transaction was about, before that transaction and after it.

They are written into pytest's cache folder, which is not under version control.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from chain.simulator.chain import Chain
from chain.simulator.last_move import before_and_after


def sections(item: pytest.Item, began: Mapping[Chain, int]) -> list[tuple[str, str]]:
    """Write the pictures of a test, and return where they are. `began` has each chain's receipts at the test's beginning."""
    cache: pytest.Cache | None = getattr(item.config, "cache", None)
    if cache is None:
        return []
    stem = re.sub(r"\W+", "-", item.nodeid.rpartition("/")[2]).strip("-")[:100]
    written: list[Path] = []
    for chain, start in began.items():
        with suppress(Exception):  # a chain may be closed, a disk full: a report must not fail
            pictures = before_and_after(chain, start)
            number = len(written) // 2 or ""
            for name, picture in zip(("before", "after"), pictures, strict=False):
                path = cache.mkdir("boardchain") / f"{stem}{number}-{name}.svg"
                path.write_text(picture.svg(dark=True), "utf-8")
                written.append(path)
    return [("board before and after", "\n".join(map(str, written)))] if written else []
