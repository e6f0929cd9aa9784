"""The lines that a play reached are those of its calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from chain.fuzz.line_coverage import CoveredLines

SOURCE = """\
def double(n):
    return 2 * n


class Sizes:
    small = double(2)


large = double(Sizes.small)
"""


def test_top_of_module_is_not_recorded(tmp_path: Path) -> None:
    """It runs when the instrumented copy is made, before the first call of the first play only."""
    file = tmp_path / "sizes.py"
    names: dict[str, Any] = {"__name__": "sizes"}
    covered = CoveredLines([str(file)])
    with covered:
        exec(compile(SOURCE, str(file), "exec"), names)
        assert covered.take() == []
        assert names["double"](names["large"]) == 16
    assert covered.take() == [("sizes.py", 1), ("sizes.py", 2)]
