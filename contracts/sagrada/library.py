"""The cards there are: the JSON files of the `data` folder, read once when the package is imported.

`data/tools` and `data/objectives` hold one card a file: a new file there is a new card, nothing
else needs to know. `commands.json` holds the basic commands, `activation.json` what every tool's
activator begins with, `frames.json` the window frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from json import JSONDecodeError
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

from contracts.sagrada.cards import (
    Command,
    Objective,
    Tool,
    private_objectives,
    read_command,
    read_frame,
    read_objective,
    read_tool,
)
from contracts.sagrada.schema import DataError, Facts, Spot, is_text, parse
from contracts.sagrada.window import Frame

C = TypeVar("C", Tool, Objective)

MOST: Final = 4  # players
CARDS_IN_PLAY: Final = 3  # of the public objectives, and of the tools
FRAMES_OFFERED: Final = 4  # to each player, all different


@dataclass(frozen=True, slots=True)
class Library:
    commands: tuple[Command, ...]
    tools: Mapping[int, Tool]
    objectives: Mapping[int, Objective]  # public and private, by id
    public: tuple[int, ...]
    private: tuple[int, ...]
    frames: tuple[Frame, ...]


def load(folder: Path) -> Library:
    tool_files = _spots(folder, "tools")
    facts = Facts(deck_size=len(tool_files))
    activation = _spot(folder / "activation.json", folder)
    objective_files = _spots(folder, "objectives")
    tools = [read_tool(replace(spot, facts=facts), activation) for spot in tool_files]
    public = [read_objective(spot) for spot in objective_files]
    private = private_objectives()
    _check_ids(tool_files + objective_files, private)
    commands = replace(_spot(folder / "commands.json", folder), facts=facts)
    frames = _spot(folder / "frames.json", folder)
    _check_enough("tools", tool_files, CARDS_IN_PLAY)
    _check_enough("objectives", objective_files, CARDS_IN_PLAY)
    _check_enough("frames.json", frames.items(), MOST * FRAMES_OFFERED)
    return Library(
        tuple(read_command(spot) for spot in commands.items()),
        _by_id(tools),
        _by_id((*public, *private)),
        tuple(sorted(card.id for card in public)),
        tuple(card.id for card in private),
        tuple(_frames(frames)),
    )


def _spots(folder: Path, name: str) -> list[Spot]:
    return [_spot(path, folder) for path in sorted((folder / name).glob("*.json"))]


def _spot(path: Path, folder: Path) -> Spot:
    file = path.relative_to(folder).as_posix()
    if not sorted(path.parent.glob(path.name)):
        raise DataError(file, "", "", "this file is missing")
    try:
        return _named(parse(path.read_text("utf-8"), file))
    except UnicodeDecodeError:
        raise DataError(file, "", "", "this is not a text in UTF-8") from None
    except JSONDecodeError as error:
        raise DataError(file, "", f"line {error.lineno}", error.msg) from None


def _named(spot: Spot) -> Spot:
    """The card's name, if it has one, goes with every complaint about it."""
    name = spot.value.get("name") if isinstance(spot.value, dict) else None
    return replace(spot, card=name) if is_text(name) else spot


def _check_ids(spots: Iterable[Spot], private: Iterable[Objective]) -> None:
    """No two cards of any kind have the same id."""
    names = {card.id: card.name for card in private}
    for spot in spots:
        number = spot.value["id"]
        if number in names:
            raise spot.key("id").error(f"{number} is the id of {names[number]} already")
        names[number] = spot.card


def _check_enough(file: str, cards: Sequence[Spot], fewest: int) -> None:
    if len(cards) < fewest:
        raise DataError(file, "", "", f"a game needs {fewest} of these, here are {len(cards)}")


def _by_id(cards: Iterable[C]) -> Mapping[int, C]:
    return MappingProxyType({card.id: card for card in sorted(cards, key=lambda card: card.id)})


def _frames(spot: Spot) -> Iterable[Frame]:
    seen: list[str] = []
    for item in map(_named, spot.items()):
        frame = read_frame(item)
        if frame.name in seen:
            raise item.key("name").error("two frames have this name")
        seen.append(frame.name)
        yield frame


LIBRARY: Final = load(Path(__file__).parent / "data")
