"""Uniform draws for fuzz runs, from the seed of the run alone.

By default Hypothesis repeats parts of earlier draws and tries the constants of all modules in the project. Here the results of
the contracts steer the run (`chain.fuzz.corpus`), and a run must be the same whatever else is loaded.
"""

from __future__ import annotations

from typing import Final

from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

EVEN: Final = "boardchain"  # the name of the backend in the settings of Hypothesis
_WIDE: Final = 2**32  # wider ranges favour small numbers, as Hypothesis does by default


class UniformProvider(HypothesisProvider):
    """Draws every number of a range with the same probability."""

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
    ) -> int:
        if (
            weights is None
            and min_value is not None
            and max_value is not None
            and max_value - min_value < _WIDE
        ):
            assert self._random is not None
            return self._random.randint(min_value, max_value)
        return super().draw_integer(
            min_value, max_value, weights=weights, shrink_towards=shrink_towards
        )

    def _maybe_draw_constant(self, *_: object, **__: object) -> None:
        return None


AVAILABLE_PROVIDERS[EVEN] = f"{__name__}.{UniformProvider.__name__}"
