"""The chain's own dataclasses are those of Python, made faster."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import field
from typing import Any

import pytest

from chain.foundation.dataclass import dataclass, is_generated

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"eq": False},
    {"frozen": True, "eq": False},
    {"repr": False},
    {"unsafe_hash": True},
    {"order": True},
)


def one() -> type:
    class Shape:
        x: int

    return Shape


def two() -> type:
    class Shape:
        """A shape."""

        x: int
        y: int = field(default=2, repr=False, compare=False)
        z: int = field(default=3, hash=False)

    return Shape


def none() -> type:
    class Shape:
        pass

    return Shape


def with_own() -> type:
    class Shape:
        x: int

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 1

        def __repr__(self) -> str:
            return "own"

    return Shape


def with_own_eq() -> type:
    class Shape:  # what the decorator makes of that is the question
        x: int

        def __eq__(self, other: object) -> bool:
            return True

    return Shape


def with_own_setter() -> type:
    class Shape:
        x: int

        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, value)

    return Shape


def with_late_default() -> type:
    class Shape:
        x: int = 1
        y: int

    return Shape


def derived() -> type:
    @dataclasses.dataclass(frozen=True)
    class Base:
        x: int

    class Shape(Base):
        w: int = 1

    return Shape


SHAPES = (one, two, none, with_own, with_own_eq, with_own_setter, with_late_default, derived)


def outcome(work: Callable[[Any], object], cls: Any) -> object:
    """Return what `work` returns, or its error."""
    try:
        return work(cls)
    except Exception as error:
        return type(error), str(error)


def first(cls: Any) -> Any:
    return cls(*[1 for item in dataclasses.fields(cls)])


def text(thing: object) -> str:
    return repr(thing).partition(" at 0x")[0]


QUESTIONS: tuple[Callable[[Any], object], ...] = (
    lambda cls: text(first(cls)),
    lambda cls: first(cls) == first(cls),
    lambda cls: first(cls) == cls(*[2 for item in dataclasses.fields(cls)]),
    lambda cls: first(cls) == 1,
    lambda cls: hash(first(cls)) if cls.__hash__ is not object.__hash__ else "by identity",
    lambda cls: [setattr(first(cls), item.name, 2) for item in dataclasses.fields(cls)],
    lambda cls: [delattr(first(cls), item.name) for item in dataclasses.fields(cls)],
    lambda cls: text(copy.copy(first(cls))),
    lambda cls: text(copy.deepcopy(first(cls))),
    lambda cls: cls.__match_args__,
    lambda cls: repr(cls.__dataclass_params__),
    lambda cls: repr(dataclasses.fields(cls)),
    lambda cls: dataclasses.astuple(dataclasses.replace(first(cls))),
    lambda cls: (cls.__doc__ or "").partition("(")[0],
    lambda cls: hasattr(first(cls), "__dict__"),
    lambda cls: str(inspect.signature(cls)).replace("self", "__self__"),
    lambda cls: str(inspect.signature(type("Heir", (cls,), {}))),
)


@pytest.mark.parametrize(
    "module", [__name__, "chain.errors"]
)  # `__init__` is made late for the chain
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_classes_are_those_of_python(
    shape: Callable[[], type], options: dict[str, bool], module: str
) -> None:
    def made(decorate: Any) -> Any:
        cls: Any = shape()
        cls.__module__ = module
        return outcome(lambda cls: decorate(**options)(cls), cls)

    theirs, ours = made(dataclasses.dataclass), made(dataclass)
    if not isinstance(theirs, type):
        if isinstance(ours, type):
            ours = outcome(first, ours)
        assert ours[0] is theirs[0] and ours[1].startswith(theirs[1])  # Python says more since 3.13
        return
    for question in QUESTIONS:
        assert outcome(question, ours) == outcome(question, theirs)


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: object = None


def test_a_frozen_object_with_slots_is_pickled() -> None:
    assert pickle.loads(pickle.dumps(Point(1, 2))) == Point(1, 2)


def test_an_object_that_holds_itself_is_shown() -> None:
    held: list[object] = []
    held.append(Point(1, held))
    assert repr(held) == "[Point(x=1, y=[...])]"


def test_wrong_arguments_are_refused_in_the_words_of_python() -> None:
    with pytest.raises(
        TypeError, match=r"__init__\(\) missing 1 required positional argument: 'x'"
    ):
        Point()  # type: ignore[call-arg]


@pytest.mark.parametrize("make", [dataclass, dataclasses.dataclass])
def test_a_generated_hash_is_told_from_an_own_one(make: Any) -> None:
    assert is_generated(make(frozen=True)(one()).__hash__)
    assert not is_generated(with_own().__hash__)  # type: ignore[arg-type]
