"""A short `format` writes the same, for the same ticks, as one that looks at each value."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain.metering import format_costs
from chain.metering.builtin_costs import charge_shown, written
from chain.metering.fixed_cost_methods import SHORT_CALLS
from chain.metering.format_costs import formatted_by_braces
from chain.metering.frozen_collections import record_name
from chain.metering.fuel import INSTRUMENTED_BUILTINS
from chain.metering.runtime_names import BUILTINS
from chain.metering.stable_text import worded
from tests.chain.metering.taken_ticks import told


class Side(Enum):
    LEFT = 0


class Report(StrEnum):
    MOVED = "{0} moves {what} to {what}"


@dataclass
class Held:
    items: tuple[int, ...] = (2**70,) * 20


def telling(names: dict[str, object], base: type) -> object:
    """An object whose class writes it, in a module with these builtins."""
    made: dict[str, Any] = {"__builtins__": names, "__name__": "squares", "base": base}
    exec("class Square(base):\n def __str__(self): return 'c4' * 9", made)
    return made["Square"]()


TEMPLATES = [
    "", "{0}", "{what}", "{0} {what}", "{0!r}{what!a}", "{0:>400}", "{0:{1}}", "{0.real}", "{what[0]}", "a" * 300 + "{0}",
    Report.MOVED,
]  # fmt: skip
values = st.one_of(
    st.integers(-9, 9), st.sampled_from([2**63, -(2**63), 2**63 - 1, 2**300]), st.text(max_size=9),
    st.sampled_from(["x" * 64, "x" * 65, "x" * 300, True, None, b"x", (1, "x"), [2**70], Side.LEFT, 1.5]),
    st.sampled_from([telling(INSTRUMENTED_BUILTINS, base) for base in (object, list, Held)]),
    st.just(telling(vars(builtins), object)),
)  # fmt: skip


@settings(max_examples=500)
@given(template=st.sampled_from(TEMPLATES), args=st.tuples(values, values), what=values)
def test_short_formats_equal_general_ones(
    template: str, args: tuple[object, ...], what: object
) -> None:
    def formatted() -> object:
        return formatted_by_braces(template, args, {"what": what})

    short = told(formatted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(format_costs, "_is_simple", lambda _: False)
        assert short == told(formatted)


def test_a_class_may_get_another_text_later() -> None:
    square: Any = telling(INSTRUMENTED_BUILTINS, object)
    before = told(lambda: formatted_by_braces("{}", (square,), {}))
    kind: Any = type(square)
    kind.__str__ = lambda _: "c4" * 9
    outside = told(lambda: formatted_by_braces("{}", (square,), {}))
    assert outside[0] == before[0] == "c4" * 9
    assert outside[1] > before[1]  # its code does not tick, so it is charged


@given(number=st.one_of(st.integers(), st.sampled_from([2**63, 1 - 2**63, 2**256])))
def test_short_numbers_equal_general_ones(number: int) -> None:
    guarded: Any = BUILTINS["str"]
    plain = told(lambda: written(str(worded(charge_shown(number)))))
    assert told(partial(guarded, number)) == plain


class Word(StrEnum):
    LEFT = "{0}"


@given(value=values)
def test_a_class_that_outlives_calls_keeps_its_price(value: object) -> None:
    """Whether its methods are looked up each time, or known to stay."""
    square: Any = telling(INSTRUMENTED_BUILTINS, object)
    write: Any = SHORT_CALLS["format"]
    told_before = [told(partial(write, Word.LEFT, each)) for each in (square, value)]
    for kind in (type(square), Word):
        record_name(kind, kind.__name__)
        for _ in range(2):
            assert [
                told(partial(write, Word.LEFT, each)) for each in (square, value)
            ] == told_before
