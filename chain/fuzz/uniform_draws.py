"""Uniform draws for fuzz runs, from the seed of the run alone.

By default Hypothesis repeats parts of earlier draws and tries the constants of all modules in the project. Here the results of
the contracts steer the run (`chain.fuzz.corpus`), and a run must be the same whatever else is loaded.
"""

from __future__ import annotations

from typing import Any, Final

from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

EVEN: Final = "boardchain"  # the name of the backend in the settings of Hypothesis
_WIDE: Final = 2**32  # wider ranges favour small numbers, as Hypothesis does by default


class UniformProvider(HypothesisProvider):
    """Draws every number of a range with the same probability."""

    def draw_integer(self, min_value: Any = None, max_value: Any = None, **how: Any) -> int:
        random: Any = self._random
        is_free = None in (min_value, max_value) or how.get("weights") is not None
        if is_free or max_value - min_value >= _WIDE:
            return super().draw_integer(min_value, max_value, **how)
        return int(random.randint(min_value, max_value))

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        return None


AVAILABLE_PROVIDERS[EVEN] = f"{__name__}.{UniformProvider.__name__}"
