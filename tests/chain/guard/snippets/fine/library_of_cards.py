import json
from importlib.resources import files
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
MORE: Final = files(__package__) / "more.json"


def load(folder: Path) -> dict[str, str]:
    paths = sorted((folder / "cards").glob("*.json"))
    return {path.stem: one(path) for path in paths}


def one(path: Path) -> str:
    try:
        return json.loads(path.read_text("utf-8"), parse_float=str, parse_constant=str)["name"]
    except json.JSONDecodeError as error:  # this runs while the package is imported, and never in a call
        raise ValueError(f"{path.name}, line {error.lineno}: {error.msg}") from None


CARDS: Final = load(HERE / "data")
NAMES: Final = tuple(sorted(path.name for path in HERE.iterdir()))
EXTRA: Final = MORE.read_text(encoding="utf-8")


def name(card: str) -> str:
    return CARDS[card]
