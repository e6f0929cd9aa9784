"""How the draws of a fuzz run are made: evenly, from the seed of the run alone.

Hypothesis by itself repeats parts of what it drew before, and tries the constants of all modules of the project at hand. Here
it is what the contracts did that leads on (`beginnings`), and a run is to be the same whatever else is loaded.
"""

from __future__ import annotations

from typing import Any, Final

from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

EVEN: Final = "boardchain"  # what a backend of Hypothesis is called in its settings
_WIDE: Final = 2**32  # the numbers of wider ranges are small ones more often, as Hypothesis has it


class UniformProvider(HypothesisProvider):
    """Any number of a range is as likely as another, and none stands out."""

    def draw_integer(self, min_value: Any = None, max_value: Any = None, **how: Any) -> int:
        random: Any = self._random
        is_free = None in (min_value, max_value) or how.get("weights") is not None
        if is_free or max_value - min_value >= _WIDE:
            return super().draw_integer(min_value, max_value, **how)
        return int(random.randint(min_value, max_value))

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        return None


AVAILABLE_PROVIDERS[EVEN] = f"{__name__}.{UniformProvider.__name__}"
