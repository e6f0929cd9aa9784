"""The games: a folder below `contracts/` for each. A new folder is in every test that takes this list."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
GAMES: Final = tuple(sorted(path.parent.name for path in ROOT.glob("contracts/*/__init__.py")))
