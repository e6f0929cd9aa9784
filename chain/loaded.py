"""Outcomes of chance that a test forces, by tag."""

from __future__ import annotations

from typing import Any


class Loaded:
    """For each tag the outcomes still to come."""

    def __init__(self, outcomes: dict[str, list[Any]]) -> None:
        self._waiting = {tag: list(reversed(items)) for tag, items in outcomes.items()}
        self._drawn: dict[str, list[Any]] = {}

    def take(self, tag: str) -> tuple[Any] | None:
        """The next outcome for `tag` in a tuple; None where the tag is not loaded."""
        waiting = self._waiting.get(tag)
        if waiting is None:
            return None
        if not waiting:
            raise LookupError(f"more draws are tagged '{tag}' than outcomes were loaded")
        outcome = waiting.pop()
        self._drawn.setdefault(tag, []).append(outcome)
        return (outcome,)

    def drawn(self) -> dict[str, list[Any]]:
        """What was drawn since this was last asked."""
        drawn, self._drawn = self._drawn, {}
        return drawn

    @property
    def left(self) -> dict[str, list[Any]]:
        """What nobody has drawn yet."""
        return {tag: items[::-1] for tag, items in self._waiting.items() if items}

    def check_empty(self) -> None:
        if self.left:
            raise AssertionError(f"loaded outcomes that nobody drew: {self.left}")
