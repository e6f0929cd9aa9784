"""The `dataclass` and `replace` of instrumented copies do what Python's own do, for classes of every shape."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import InitVar, field
from typing import Any, ClassVar

import pytest

from chain.foundation.dataclass import dataclass
from chain.metering import dataclass_init
from chain.metering.dataclass_replace import replace
from chain.metering.frozen_collections import record_name
from tests.chain.metering.taken_ticks import told

HOW: tuple[dict[str, Any], ...] = (
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
)


def plain() -> type:
    class Plain:
        x: int
        y: tuple[int, ...] = ()

    return Plain


def with_factory() -> type:
    class WithFactory:
        x: int
        y: list[int] = field(default_factory=list)

    return WithFactory


def with_check() -> type:
    class WithCheck:
        x: int
        y: int = 2

        def __post_init__(self) -> None:
            if self.y == 0:
                raise ValueError("y is 0")

    return WithCheck


def by_keyword() -> type:
    class ByKeyword:
        x: int
        y: int = field(default=2, kw_only=True)

    return ByKeyword


def with_fixed() -> type:
    class WithFixed:
        kind: ClassVar[str] = "fixed"
        x: int
        y: int = field(default=2, init=False)

    return WithFixed


def with_seed() -> type:
    class WithSeed:
        x: int
        y: int = 2
        seed: InitVar[int] = 3  # type: ignore[assignment]

        def __post_init__(self, seed: int) -> None:
            object.__setattr__(self, "x", self.x + seed)

    return WithSeed


def with_own_init() -> type:
    class WithOwnInit:
        x: int
        y: int

        def __init__(self, x: int, y: int = 5) -> None:
            object.__setattr__(self, "x", x * 2)
            object.__setattr__(self, "y", y)

    return WithOwnInit


def with_hard_names() -> type:
    class WithHardNames:
        thing: int
        self: int = 2
        cls: int = 3
        kept: int = 4

    return WithHardNames


SHAPES = (
    plain,
    with_factory,
    with_check,
    by_keyword,
    with_fixed,
    with_seed,
    with_own_init,
    with_hard_names,
)
CHANGES: tuple[dict[str, Any], ...] = (
    {}, {"x": 7}, {"y": 0}, {"x": 7, "y": 1}, {"z": 1}, {"x": 7, "z": 1}, {"thing": 7, "self": 8}, {"seed": 1},
)  # fmt: skip


def outcome(work: Callable[[], object]) -> object:
    """Return what `work` returns, or its error, as a text."""
    try:
        return repr(work())
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("how", HOW, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_both_make_the_same_objects(
    shape: Callable[[], type], how: dict[str, Any], changes: dict[str, Any]
) -> None:
    real: Any = dataclasses.dataclass(**how)(shape())
    ours: Any = dataclass(shape(), **how)
    for work in (
        lambda cls, replace: cls(1),
        lambda cls, replace: cls(**changes),
        lambda cls, replace: cls(),
        lambda cls, replace: cls(1, 2, 3, 4, 5),
        lambda cls, replace: replace(cls(1), **changes),
        lambda cls, replace: replace(replace(cls(1), **changes), **changes),
        lambda cls, replace: setattr(cls(1), dataclasses.fields(cls)[0].name, 2),
    ):
        expected = outcome(lambda: work(real, dataclasses.replace))  # noqa: B023
        assert outcome(lambda: work(ours, replace)) == expected  # noqa: B023


@pytest.mark.parametrize("thing", [1, "text", plain()()], ids=["number", "text", "plain object"])
def test_only_dataclasses_are_replaced(thing: object) -> None:
    with pytest.raises(TypeError, match="should be called on dataclass instances"):
        replace(thing, x=1)


def test_a_subclass_keeps_its_own_init() -> None:
    base: Any = dataclass(plain(), frozen=True, slots=True)

    class Double(base):  # type: ignore[misc]
        __slots__ = ()

        def __init__(self, x: int, y: tuple[int, ...] = ()) -> None:
            super().__init__(x * 2, y)

    assert replace(Double(3), y=(1,)).x == 12  # as Python's own: 3 twice doubled
    assert base(3).x == 3


@pytest.mark.parametrize("how", HOW, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_objects_of_classes_that_outlive_calls_cost_the_same(
    shape: Callable[[], type], how: dict[str, Any], changes: dict[str, Any]
) -> None:
    """They are made without a call of their class."""
    cls: Any = dataclass_init.dataclass(shape(), **how)
    thing = cls(1)

    def work() -> object:
        return outcome(lambda: replace(thing, **changes))

    before = told(work)
    record_name(cls, cls.__name__)
    assert told(work) == before
