"""The plan of a campaign: everything that determines game number n."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any, Final, Self

from chain.arena.find_game import digest_of, find_game
from chain.foundation.dataclass import dataclass

# The first games of a campaign, whose gas by call and whose places are kept.
DETAILED: Final = 10_000
_BITS: Final = 53  # what JSON and SQLite can hold without loss


@dataclass(frozen=True)
class Plan:
    """Everything that determines the games. `strategies` are those of the seats in game 0.

    In each following game they move on by one seat, with the same random numbers, until all arrangements have been played.
    Then new random numbers apply.

    >>> plan = Plan.of("contracts.deblockle", ["greedy", "random"], bare=True)
    >>> plan.target, plan.strategies, plan.is_duel, plan.arrangements
    ('contracts.deblockle', ('greedy', 'random'), True, (('greedy', 'random'), ('random', 'greedy')))
    """

    target: str  # the package of the game
    strategies: tuple[str, ...]  # by seat, in game 0
    digest: str  # of the game's code
    campaign: str = ""  # another name gives other games
    bare: bool = False  # by the rules, without a chain
    check: float = 0  # the share of bare games that are also played on a chain
    most_plies: int = 100_000  # a longer game has failed

    @classmethod
    def of(cls, target: str, strategies: Sequence[str], **options: Any) -> Self:
        """Return a plan for the present code of a game. A single strategy takes all seats.

        `options` are the fields of a plan. Raise ValueError for a strategy that the game lacks, for too many, or for games that
        are to be checked on a chain and are played there anyway.

        >>> Plan.of("contracts.deblockle", ["random"], most_plies=500).strategies
        ('random', 'random')
        """
        game = find_game(target)
        if len(strategies) == 1:
            strategies = [*strategies] * game.seats[0]
        for name in strategies:
            if name not in game.strategies:
                known = ", ".join(game.strategies)
                raise ValueError(f"{target} has no strategy '{name}'; it has {known}")
        if len(strategies) not in game.seats:
            seats = " or ".join(map(str, game.seats))
            raise ValueError(f"{target} has {seats} seats; {len(strategies)} strategies are named")
        plan = cls(target, tuple(strategies), digest_of(target), **options)
        if plan.check and not plan.bare:
            raise ValueError("only bare games are checked on a chain: the others are played there")
        return plan

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Self:
        """Return the plan of a record."""
        return cls(**{**record, "strategies": tuple(record["strategies"])})

    @cached_property
    def arrangements(self) -> tuple[tuple[str, ...], ...]:
        """All ways in which the strategies follow each other around the table, each once."""
        names = self.strategies
        turned = [names[-by:] + names[:-by] if by else names for by in range(len(names))]
        return tuple(dict.fromkeys(turned))

    @property
    def is_duel(self) -> bool:
        """True if games come in pairs: two strategies that swap seats."""
        return len(self.strategies) == len(self.arrangements) == 2

    def seats(self, number: int) -> tuple[str, ...]:
        """Return the strategies of a game, by seat.

        >>> Plan.of("contracts.deblockle", ["greedy", "random"]).seats(1)
        ('random', 'greedy')
        """
        return self.arrangements[number % len(self.arrangements)]

    def seed(self, number: int) -> int:
        """Return the seed of a game, which it shares with those of the same round."""
        text = f"{self.campaign}/{number // len(self.arrangements)}"
        return int.from_bytes(sha256(text.encode()).digest()) >> 256 - _BITS

    def is_detailed(self, number: int) -> bool:
        """Return True if the details of a game are kept."""
        return number < DETAILED

    def is_checked(self, number: int) -> bool:
        """Return True if a bare game is also played on a chain."""
        return self.bare and self.seed(number) < self.check * 2**_BITS
