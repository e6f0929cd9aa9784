"""Randomness that anyone can recompute.

A stream is keccak(prevrandao, origin, nonce, contract, index of the stream in the transaction, index of the draw). It has no
other inputs, so a replay draws the same numbers. A test can force outcomes by tag: `chain.loaded(dice=[6, 6, 1])`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from chain.crypto.hashing import keccak
from chain.machine.forced_random import count_of
from chain.machine.frame import Frame
from chain.values import short_repr
from chain.values.inputs import whole_number

T = TypeVar("T")


def _whole(number: int, name: str) -> int:
    """Return a number that may be negative, if it is a whole one."""
    if type(number) is not int:
        raise TypeError(f"{name} is {short_repr(number)}, not a whole number")
    return number


def _listed(items: Sequence[T]) -> Sequence[T]:
    """Return the items, if they have an order."""
    if not isinstance(items, Sequence):
        raise TypeError(f"{short_repr(items)} is not a list, tuple, range or text to draw from")
    return items


class Random:
    """The draws of one message. `tag` names a draw so that tests can force its outcome."""

    __slots__ = ("_drawn", "_frame", "_seed", "_stream_index")

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._drawn = 0
        self._seed: bytes | None = None  # computed at the first draw: most messages draw nothing
        self._stream_index = frame.context.random_streams
        frame.context.random_streams += 1

    def __repr__(self) -> str:
        return "<Random>"

    def _missing(self, name: str) -> str:
        return f"self.random has no '{name}': it has below, randint, randrange, choice, choices, sample, shuffle"

    def below(self, n: int, tag: str = "") -> int:
        """Return a whole number from 0 to n - 1.

        >>> self.random.below(6, tag="die") + 1
        6
        """
        if type(n) is not int:
            n = whole_number(n, "n")
        if n < 1:
            raise ValueError(f"below({n}): there is no number to draw")
        forced = self._frame.context.forced_random
        number = None if forced is None else forced.below(n, tag)
        return self._draw(n) if number is None else number

    def randint(self, a: int, b: int, tag: str = "") -> int:
        """Return a whole number from a to b, both included.

        >>> self.random.randint(1, 6, tag="die")
        6
        """
        return self.choice(range(_whole(a, "a"), _whole(b, "b") + 1), tag)

    def randrange(self, start: int, stop: int | None = None, step: int = 1, tag: str = "") -> int:
        """Return an item of `range(start, stop, step)`; with one number, of `range(start)`.

        >>> self.random.randrange(0, 100, 10)
        30
        """
        bounds = (start,) if stop is None else (start, stop, step)
        return self.choice(range(*(_whole(bound, "a bound") for bound in bounds)), tag)

    def choices(self, items: Sequence[T], k: int = 1, tag: str = "") -> list[T]:
        """Return k items, each drawn from all.

        >>> self.random.choices("ab", k=3)
        ['b', 'a', 'b']
        """
        return [self.choice(_listed(items), tag) for _ in range(_whole(k, "k"))]

    def sample(self, items: Sequence[T], k: int, tag: str = "") -> list[T]:
        """Return k of the items in random order, none of them twice.

        >>> self.random.sample([1, 2, 3, 4], 2, tag="deal")
        [2, 4]
        """
        if not 0 <= _whole(k, "k") <= len(_listed(items)):
            raise ValueError(f"sample: there are {len(items)} items, not {k}")
        forced = self._frame.context.forced_random
        drawn = None if forced is None else forced.selection(items, k, tag)
        if drawn is None:
            rest = [*range(len(items))]
            drawn = [rest.pop(self._draw(len(rest))) for _ in range(k)]
        return [items[index] for index in drawn]

    def choice(self, items: Sequence[T], tag: str = "") -> T:
        """Return one of `items`.

        >>> self.random.choice(["rock", "paper"], tag="hand")
        'paper'
        """
        count = count_of(items)
        if not count:
            raise ValueError("choice: there is nothing to choose from")
        forced = self._frame.context.forced_random
        index = None if forced is None else forced.choose_index(items, tag)
        return items[self._draw(count) if index is None else index]

    def shuffle(self, items: list[T], tag: str = "") -> None:
        """Put `items` in a random order, in place.

        >>> deck = [1, 2, 3, 4]
        >>> self.random.shuffle(deck, tag="deck")
        >>> deck
        [1, 4, 3, 2]
        """
        forced = self._frame.context.forced_random
        order = None if forced is None else forced.permutation(items, tag)
        shuffled = [*items] if order is None else [items[index] for index in order]
        if order is None:
            for last in range(len(shuffled) - 1, 0, -1):
                index = self._draw(last + 1)
                shuffled[last], shuffled[index] = shuffled[index], shuffled[last]
        items[:] = shuffled

    def _draw(self, n: int) -> int:
        """Return a number below n. Draws above the greatest multiple of n are discarded, so that the result is uniform."""
        if self._seed is None:
            self._seed = self._make_seed()
        limit = 2**256 - 2**256 % n
        while True:
            number = int.from_bytes(keccak(self._seed + self._drawn.to_bytes(8)))
            self._drawn += 1
            if number < limit:
                return number % n

    def _make_seed(self) -> bytes:
        frame, context = self._frame, self._frame.context
        return keccak(
            context.block.prevrandao.to_bytes(32)
            + context.origin
            + context.nonce.to_bytes(8)
            + frame.address
            + self._stream_index.to_bytes(8)
        )
