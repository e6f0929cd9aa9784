"""A player as seen by its parent: a process that plays games, and is killed if it is silent for too long."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from threading import Event, Thread
from typing import Final

from chain.arena.match import Row
from chain.arena.plan import Plan
from chain.arena.versions import env_at
from chain.foundation.dataclass import dataclass

_START: Final = 60.0  # seconds to import a game and read its code
_LOOK: Final = 0.5  # seconds between two checks of the clock
_NEVER: Final = float("inf")


class OtherCode(RuntimeError):
    """A player's code of the game differs from that of the plan."""


class PlayerEnded(Exception):
    """A player ended, or was killed, before it had answered."""


@dataclass(frozen=True)
class PlayerSetting:
    """The settings for starting players, and their limits. They do not affect the games."""

    root: Path | None = None  # where the game's code is, if not where this process finds it
    seconds: float = 600.0  # of computing that a game may take
    hash_seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.seconds < _NEVER:
            raise ValueError(f"a game may take a number of seconds above 0, not {self.seconds}")

    @property
    def patience(self) -> float:
        """The seconds after which a silent player counts as hanging, even on a busy machine."""
        return 10 + 2 * self.seconds


STANDARD: Final = PlayerSetting()


class PlayerProcess:
    """One player."""

    def __init__(self, plan: Plan, setting: PlayerSetting) -> None:
        self._plan, self._setting = plan, setting
        self._deadline, self._over = _NEVER, Event()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "chain.arena.player"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
            cwd=setting.root, env=env_at(setting.root, setting.hash_seed),
        )  # fmt: skip
        Thread(target=self._watch, daemon=True).start()

    def rows(self, games: Sequence[int], journal: Path | None = None) -> Iterator[Row]:
        """Yield the rows of these games. Raise `PlayerEnded` if the player ends before all are played."""
        request = {
            "plan": asdict(self._plan),
            "games": games,
            "seconds": self._setting.seconds,
            "journal": None if journal is None else str(journal),
        }
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{json.dumps(request)}\n")
            self._process.stdin.flush()
        except OSError:
            raise PlayerEnded from None
        if json.loads(self._line(_START)) != self._plan.digest:
            raise OtherCode(f"the code of {self._plan.target} has changed while it was played")
        for _ in games:
            yield Row(*json.loads(self._line(self._setting.patience)))

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        """Kill it, and wait until it is gone."""
        self.kill()
        self._over.set()
        assert self._process.stdin is not None and self._process.stdout is not None
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # it had not read all
                pipe.close()
        self._process.wait()

    def _line(self, seconds: float) -> str:
        """Return the next line, for which the player has this much time."""
        assert self._process.stdout is not None
        self._deadline = time.monotonic() + seconds
        try:
            line = self._process.stdout.readline()
        except (OSError, ValueError):  # closed by another thread
            raise PlayerEnded from None
        finally:
            self._deadline = _NEVER
        if not line.endswith("\n"):
            raise PlayerEnded
        return line

    def _watch(self) -> None:
        while not self._over.wait(_LOOK):
            if time.monotonic() > self._deadline:
                self.kill()
