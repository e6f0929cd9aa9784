"""Games that survive a crash of their players: a game is pure, so another player can play it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

from chain.arena.match import Row, row_of_lost_game
from chain.arena.plan import Plan
from chain.arena.player_process import PlayerEnded, PlayerProcess

TRIES: Final = 3  # of one game, each with a new player

Start: TypeAlias = Callable[[], PlayerProcess]


class PlayerLost(RuntimeError):
    """The players end before they have played anything."""


class PersistentPlayer:
    """A player that is replaced by a new one whenever it ends."""

    def __init__(self, plan: Plan, start: Start) -> None:
        self._plan, self._start = plan, start
        self._player: PlayerProcess | None = None

    def rows(self, games: Sequence[int]) -> Iterator[Row]:
        """Yield the rows of all these games. A game that crashes every player is a failure, with the moves that were made."""
        left = list(games)
        while left:
            try:
                for row in self._now().rows(tuple(left)):
                    left.remove(row.game)
                    yield row
            except PlayerEnded:
                self.close()
                yield self._again(left.pop(0))

    def _again(self, game: int) -> Row:
        """Replay a game that crashed its player, alone and with a journal of its moves."""
        with TemporaryDirectory() as folder:
            journal = Path(folder) / "journal"
            for _ in range(TRIES - 1):
                try:
                    return next(self._now().rows([game], journal))
                except PlayerEnded:
                    self.close()
            if not journal.exists():
                raise PlayerLost(f"{TRIES} players in turn ended before they could play game {game}")  # fmt: skip
            return row_of_lost_game(self._plan, game, journal.read_text("utf-8"))

    def close(self) -> None:
        """End the present player."""
        if self._player is not None:
            self._player.close()
        self._player = None

    def _now(self) -> PlayerProcess:
        if self._player is None:
            self._player = self._start()
        return self._player
