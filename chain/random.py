"""Chance that everyone can recompute.

A stream is keccak(prevrandao, origin, nonce, contract, which stream of the transaction this is, number of the draw). Nothing
else goes in, so a replay draws the same. A test can force what comes next, by tag: `chain.loaded(dice=[6, 6, 1])`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from chain.hashing import keccak

if TYPE_CHECKING:
    from chain.frame import Frame

T = TypeVar("T")


class Random:
    """Draws for one message. `tag` names a draw so that tests can load its outcome."""

    __slots__ = ("_drawn", "_frame", "_seed", "_stream")

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._drawn = 0
        self._seed: bytes | None = (
            None  # made with the first draw: most messages have chance at hand and need none
        )
        self._stream = frame.context.draws
        frame.context.draws += 1

    def below(self, n: int, tag: str = "") -> int:
        """A whole number from 0 to n - 1."""
        if n < 1:
            raise ValueError(f"below({n}): there is no number to draw")
        loaded = self._loaded(tag)
        if loaded is None:
            return self._draw(n)
        if not (type(loaded[0]) is int and 0 <= loaded[0] < n):
            raise ValueError(f"the loaded outcome {loaded[0]!r} for '{tag}' is not in 0..{n - 1}")
        return int(loaded[0])

    def choice(self, items: Sequence[T], tag: str = "") -> T:
        """One of `items`."""
        if not items:
            raise ValueError("choice: there is nothing to choose from")
        loaded = self._loaded(tag)
        if loaded is None:
            return items[self._draw(len(items))]
        if loaded[0] not in items:
            raise ValueError(f"the loaded outcome {loaded[0]!r} for '{tag}' is none of {items!r}")
        return items[items.index(loaded[0])]

    def shuffle(self, items: list[T], tag: str = "") -> None:
        """Put `items` in a random order, in place."""
        loaded = self._loaded(tag)
        if loaded is None:
            for last in range(len(items) - 1, 0, -1):
                other = self._draw(last + 1)
                items[last], items[other] = items[other], items[last]
            return
        order = list(loaded[0])
        if len(order) != len(items) or any(
            order.count(item) != items.count(item) for item in order
        ):
            raise ValueError(f"the loaded outcome {order!r} for '{tag}' is no order of {items!r}")
        items[:] = order

    def _draw(self, n: int) -> int:
        """Uniform below n: draws from the part of 2^256 that n does not divide evenly are thrown away."""
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
            + self._stream.to_bytes(8)
        )

    def _loaded(self, tag: str) -> tuple[Any] | None:
        """The next outcome that a test forced for `tag`, wrapped so that None can be one."""
        outcomes = self._frame.context.loaded
        taken = None if outcomes is None else outcomes.take(tag)
        program = self._frame.program
        return taken if taken is None or program is None else (program.inward(taken[0]),)
