"""The boards of a game: how one is identified, how its state is read from a handle, and how it is drawn.

All of this is in the file `picture.py` of the contract's package: `picture(state)` draws, and
`read_state(game, game_id)` reads a state through a handle, of a chain or of `chain.at(block)`. The name of its second
argument is also the argument or field in calls and events that identifies a board; without one the contract itself is
the only board. A game without that file shows what its `rules.draw(state)` writes, and is read by its view `state`, if
it has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from types import ModuleType
from typing import Any, NamedTuple, Protocol, get_type_hints

from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import sealed
from chain.pictures.picture import Picture, picture_of_text


class GameHandle(Protocol):
    """A handle of a contract, on a chain or on its past."""

    @property
    def contract(self) -> type: ...


class About(Protocol):
    """The parts of a receipt that identify boards."""

    @property
    def args(self) -> dict[str, object]: ...
    @property
    def events(self) -> Any: ...
    @property
    def undone_events(self) -> Any: ...
    @property
    def return_value(self) -> Any: ...


@sealed
@dataclass(frozen=True, slots=True)
class Boards:
    """The boards of one game.

    >>> from contracts.deblockle import Deblockle
    >>> boards, duel = boards_of(Deblockle), chain.deploy(Deblockle)
    >>> created = duel.create_game("first.testnet", "second.testnet", 3)
    >>> boards.key, boards.named_by(created), boards.picture(duel, 0).title
    ('index', [0], 'Deblockle: Player 1 to roll')
    """

    draw: Callable[[object], Picture]  # the game's `picture`
    read_state: Callable[..., object]  # the game's `read_state`
    key: str | None  # the argument or event field that names a board; None if the contract is one

    def picture(self, game: GameHandle, board_id: object = None) -> Picture:
        """Return the picture of a board, at the handle's point in time."""
        names = () if self.key is None else (board_id,)
        return self.draw(self.read_state(game, *names))

    def named_by(self, receipt: About) -> list[object]:
        """Return the boards that a transaction is about, even if it failed.

        An entry that names none and returns a number has created the board of that number. The only board of a contract
        is None.
        """
        if self.key is None:
            return [None]
        events = (*receipt.events, *receipt.undone_events)
        values = [receipt.args.get(self.key), *(getattr(event, self.key, None) for event in events)]
        named = list(dict.fromkeys(value for value in values if value is not None))
        if named:  # a result takes longest to decode
            return named
        made = receipt.return_value
        return [made] if type(made) is int else []


def boards_of(contract: type) -> Boards | None:
    """Return the boards of a contract's game; None if it has no way to show them.

    >>> from contracts.deblockle import Deblockle
    >>> boards_of(Deblockle).key, boards_of(Race)
    ('index', None)
    """
    for package in _packages(contract):
        drawing = _drawing_of(package)
        if drawing is None:
            continue
        read_state = getattr(_module(package, "picture"), "read_state", None)
        if read_state is not None:
            _, *keys = signature(read_state).parameters
            return Boards(drawing.draw, read_state, keys[0] if keys else None)
        key = _key_of_view(contract)
        if key is not None:
            return Boards(drawing.draw, lambda game, board_id: game.state(board_id), key)
    return None


def board_picture(game: GameHandle, board_id: object = None) -> Picture:
    """Return the picture of a board of a deployed game: `board_picture(chain.at(block=7).handle(game), 0)`.

    >>> from contracts.deblockle import Deblockle
    >>> duel = chain.deploy(Deblockle)
    >>> duel.create_game("first.testnet", "second.testnet", 3).ok
    True
    >>> board_picture(duel, 0).title
    'Deblockle: Player 1 to roll'
    """
    boards = boards_of(game.contract)
    if boards is None:
        raise LookupError(
            f"{game.contract.__name__} has no boards to show: write picture(state) and "
            "read_state(game, board_id) in a file picture.py next to it"
        )
    return boards.picture(game, board_id)


def picture_of(state: object) -> Picture | None:
    """Return the picture of a game's state, found by its class; None if it is not the state of a game.

    >>> from contracts.deblockle import rules
    >>> picture_of(rules.set_up(3)[0]).title, picture_of("a text")
    ('Deblockle: Player 1 to roll', None)
    """
    for package in _packages(type(state)):
        drawing = _drawing_of(package)
        if drawing is not None and isinstance(state, drawing.state):
            return drawing.draw(state)
    return None


class _Drawing(NamedTuple):
    """The function that draws the states of a game, and their class."""

    draw: Callable[[object], Picture]
    state: type


def _drawing_of(package: str) -> _Drawing | None:
    """Return the function that draws a game's states: as pictures if it can, otherwise as text."""
    drawn = getattr(_module(package, "picture"), "picture", None)
    if drawn is not None:
        return _Drawing(drawn, _argument_type(drawn))
    as_text = getattr(_module(package, "rules"), "draw", None)
    if as_text is not None:
        return _Drawing(lambda state: picture_of_text(as_text(state)), _argument_type(as_text))
    return None


def _argument_type(function: object) -> type:
    """Return the annotated class of the first argument; without one, a class that has no instances."""
    hint = next(iter(get_type_hints(function).values()), None)
    return hint if isinstance(hint, type) else type("Unknown", (), {})


def _packages(cls: type) -> Iterator[str]:
    """Yield the packages in which a class and its bases were written, its own first."""
    names = dict.fromkeys(base.__module__.rpartition(".")[0] for base in cls.__mro__)
    return (name for name in names if name and name.partition(".")[0] != "chain")


def _module(package: str, name: str) -> ModuleType | None:
    path = f"{package}.{name}"
    return import_module(path) if find_spec(path) is not None else None


def _key_of_view(contract: Any) -> str | None:
    """Return the name of the argument of the view `state`, if it has exactly one."""
    entry = contract.__spec__.entries.get("state")
    names = [param.name for param in entry.params] if entry is not None and entry.is_view else []
    return names[0] if len(names) == 1 else None
