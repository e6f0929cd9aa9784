"""The three placement rules, each wrapped around another as the document's decorators are.

`color_rule(placing_rule(shade_rule()))` is one rule that holds where all three do; a rule left out
is ignored. A rule answers with the sentence of the first of its parts that is broken, outermost
first, or None. It looks at the neighbours and at the cell's constraint, not at whether the cell is
taken.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from contracts.sagrada import messages
from contracts.sagrada.dice import COLOR, SHADE, Die, Feature
from contracts.sagrada.window import AROUND, BORDER, ORTHOGONAL, Window

Rule = Callable[[Window, int, Die], str | None]


def no_rule(_window: Window, _cell: int, _die: Die) -> None:
    return None


def placing_rule(inner: Rule = no_rule) -> Rule:
    """The first die lies at the border, every other one next to a die, corners included."""

    def refusal(window: Window, cell: int, die: Die) -> str | None:
        dice = window.dice
        for near in AROUND[cell]:
            if dice[near] is not None:
                return inner(window, cell, die)
        if BORDER[cell] and not any(dice):
            return inner(window, cell, die)
        return messages.PLACING

    return refusal


def color_rule(inner: Rule = no_rule) -> Rule:
    return _feature_rule(COLOR, messages.COLOR, inner)


def shade_rule(inner: Rule = no_rule) -> Rule:
    return _feature_rule(SHADE, messages.SHADE, inner)


def _feature_rule(feature: Feature, message: str, inner: Rule) -> Rule:
    """No constraint of another value on the cell, no die of the same value beside it."""
    marks, of = feature.marks, feature.of

    def refusal(window: Window, cell: int, die: Die) -> str | None:
        own = of(die)
        constraint = window.frame.marks[cell]
        if constraint != own and constraint in marks:
            return message
        dice = window.dice
        for near in ORTHOGONAL[cell]:
            neighbour = dice[near]
            if neighbour is not None and of(neighbour) == own:
                return message
        return inner(window, cell, die)

    return refusal


RULES: Final = MappingProxyType({"placing": placing_rule, "color": color_rule, "shade": shade_rule})


def compose(**wanted: bool) -> Rule:
    """The named rules one inside the other, so that the first of `RULES` speaks first."""
    rule: Rule = no_rule
    for name in reversed(RULES):
        if wanted[name]:
            rule = RULES[name](rule)
    return rule
