"""A contract does what the same class does as a plain object: both run drawn programs, and are compared after each call.

What a program may not do is the table of intended differences: a number outside the width of its type, one object at two
places when a message ends, order of a set, keys that come and go while a dict is iterated over.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from collections.abc import Set as AnySet
from copy import deepcopy
from dataclasses import fields, is_dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings

from chain import (
    Address,
    Chain,
    Contract,
    IterableMap,
    Revert,
    Reverted,
    Vector,
    call,
    init,
    view,
)
from chain.types import u8
from tests.chain.storage.drawn_programs import NAMES, Program, programs

MOST_DEPTH = 3  # of messages inside messages


class Shared(BaseException):
    """One object is at two places when a message ends."""


class Side:
    """One of the two ways to run a program: the notes that it takes, and how it sends a message."""

    def __init__(self, send: Callable[..., None]) -> None:
        self.notes: list[Any] = []
        self.depth = 0
        self.send = send

    def note(self, value: Any) -> None:
        self.notes.append(frozen(value))

    def namespace(
        self, base: type, mark: Callable[..., Any], start: Callable[..., Any]
    ) -> dict[str, Any]:
        return {
            **NAMES, "Contract": base, "Revert": Revert, "deepcopy": deepcopy, "note": self.note,
            "text": lambda value: repr(frozen(value)), "send": self.send,
            "init": start, "call": mark, "__name__": "drawn",
        }  # fmt: skip


def frozen(value: Any) -> Any:
    """Return a value with all its parts in a form of its own."""
    if isinstance(value, list | Vector):
        return ["list", *map(frozen, value)]
    if isinstance(value, dict | IterableMap):
        return ["dict", *((frozen(key), frozen(item)) for key, item in value.items())]
    if isinstance(value, AnySet):
        return ["set", *sorted(map(repr, value))]
    if isinstance(value, tuple):
        return ["tuple", *map(frozen, value)]
    if isinstance(value, Iterator):
        return "iterator"
    if is_dataclass(value):
        return [
            type(value).__name__,
            *(frozen(getattr(value, each.name)) for each in fields(value)),
        ]
    return value


# The plain side


def parts(value: Any) -> list[Any]:
    """Return the parts of a plain value."""
    if isinstance(value, list | tuple):
        return [*value]
    if isinstance(value, dict):
        return [*value.values()]
    if is_dataclass(value):
        return [getattr(value, each.name) for each in fields(value)]
    return []


def objects(value: Any) -> Iterator[Any]:
    """Yield a value and all below it that can change, as often as they are somewhere."""
    if isinstance(value, list | dict | set) or is_dataclass(value):
        yield value
    for part in parts(value):
        yield from objects(part)


def below(me: Any) -> list[Any]:
    return [each for value in vars(me).values() for each in objects(value)]


def can_change(value: Any) -> bool:
    parameters: Any = getattr(value, "__dataclass_params__", None)
    return (
        parameters is None
        or not parameters.frozen
        or any(can_change(each) for each in parts(value) if [*objects(each)])
    )


def is_shared(me: Any) -> bool:
    """True if one object is at two places."""
    changeable = [id(each) for each in below(me) if can_change(each)]
    return len(set(changeable)) < len(changeable)


def content(value: Any) -> Any:
    if isinstance(value, list | dict | set):
        return value.copy()
    return {each.name: getattr(value, each.name) for each in fields(value)}


def restore(value: Any, before: Any) -> None:
    if isinstance(value, list):
        value[:] = before
    elif isinstance(value, dict | set):
        value.clear()
        value.update(before)
    else:
        for name, part in before.items():
            object.__setattr__(value, name, part)


def message(side: PlainSide, me: Any, run: Callable[[], None]) -> None:
    """Run a message of a plain object: if it fails, all is as before."""
    before = dict(vars(me)), [(each, content(each)) for each in below(me)]
    outer, side.is_broken = side.is_broken, False
    try:
        run()
        if side.is_broken or is_shared(me):
            raise Shared
    except BaseException:
        vars(me).clear()
        vars(me).update(before[0])
        for value, held in before[1]:
            restore(value, held)
        raise
    finally:
        side.is_broken = outer


class PlainSide(Side):
    def __init__(self) -> None:
        super().__init__(self.send_message)
        self.is_view = False
        self.is_broken = False  # the message that runs cannot succeed

    def send_message(self, me: Any, how: str, one: int, other: int) -> None:
        if self.depth == MOST_DEPTH or self.is_view:
            return
        if self.is_broken or is_shared(me):
            self.is_broken = True
            raise TypeError
        self.depth += 1
        try:
            message(self, me, lambda: self.relay(me, how, one, other))
        except (Exception, Shared) as error:
            raise Revert(str(error)) from None
        finally:
            self.depth -= 1

    def relay(self, me: Any, how: str, one: int, other: int) -> None:
        try:
            self.called_back(me, one)
        except Exception:
            if how != "catch":
                raise
        if how in ("both", "catch"):
            self.called_back(me, other)
        if how == "fail":
            raise Revert("relay")

    def called_back(self, me: Any, number: int) -> None:
        try:
            message(self, me, getattr(me, f"m{number}"))
        except (Exception, Shared) as error:
            raise Revert(str(error)) from None


# The side of the chain


class ChainSide(Side):
    def __init__(self) -> None:
        super().__init__(self.send_message)
        self.failure: BaseException | None = None
        self.relay = Address(bytes(20))

    def send_message(self, me: Any, how: str, one: int, other: int) -> None:
        if self.depth == MOST_DEPTH or me._frame.static:
            return
        self.depth += 1
        try:
            me.at(Relay, self.relay).relay(how, one, other)
        finally:
            self.depth -= 1


class Relay(Contract):
    """Calls its caller back."""

    @call(nonreentrant=False)
    def relay(self, how: str, one: u8, other: u8) -> None:
        caller = self.at(Called, self.caller)
        try:
            caller.run(one)
        except Exception:
            if how != "catch":
                raise
        if how in ("both", "catch"):
            caller.run(other)
        if how == "fail":
            raise Revert("relay")


class Called(Contract):
    @call(nonreentrant=False)
    def run(self, number: u8) -> None:
        getattr(self, f"m{number}")()


_RUN = """
    @call(nonreentrant=False)
    def run(self, number: u8) -> None:
        getattr(self, f"m{number}")()

    @view
    def look(self, number: u8) -> None:
        getattr(self, f"m{number}")()

    @call(nonreentrant=False)
    def begin(self, number: u8) -> None:
        try:
            getattr(self, f"m{number}")()
        except Exception as error:
            side.failure = error
            raise
"""


def compare(program: Program, must_run: bool = False) -> None:
    """Run a program on both sides. If it `must_run`, its first call succeeds."""
    plain_side, chain_side = PlainSide(), ChainSide()
    plain_names = plain_side.namespace(
        object, lambda *_, **__: lambda method: method, lambda method: method
    )
    exec(program.source, plain_names)
    plain = plain_names["Drawn"]()
    plain.new()
    names = chain_side.namespace(Contract, call, init) | {"side": chain_side, "view": view}
    exec(program.source + "\n" + _RUN, names)
    chain = Chain(guard=False)
    chain_side.relay = chain.deploy(Relay).address
    held = chain.deploy(names["Drawn"])
    require_same_fields(plain, held)
    for number, is_view in program.calls:
        plain_side.notes, chain_side.notes, chain_side.failure = [], [], None
        plain_side.is_view = is_view
        before = state(plain)
        outcome: Any = None  # the class of the exception
        method = getattr(plain, f"m{number}")
        try:
            message(plain_side, plain, method)
        except (Exception, Shared) as error:
            outcome = type(error)
        plain_notes = plain_side.notes
        assert not must_run or outcome is None, outcome
        must_run = False
        if is_view:
            failure = attempt(held.look, number)
            if "is a view and cannot" in str(failure) or "Revert" in chain_side.notes:
                return  # it tried to change something; perhaps it caught the refusal
            assert (failure is None) == (outcome is None), failure
            if outcome is None:
                assert chain_side.notes == plain_notes
                assert state(plain) == before
        else:
            receipt = attempt(held.begin, number)
            if "ran out of gas" in str(receipt):
                return
            if "RuntimeError" in chain_side.notes and "RuntimeError" not in plain_notes:
                return  # keys came and went while a dict was iterated over
            if isinstance(chain_side.failure, RuntimeError) and outcome is not RuntimeError:
                return
            if outcome is Shared:
                assert receipt is not None, "one object at two places is accepted"
            elif outcome is None:
                assert receipt is None, receipt
                assert chain_side.notes == plain_notes
            else:
                assert receipt is not None, f"no {outcome}"
                assert chain_side.notes == plain_notes
                assert type(chain_side.failure) is outcome
        require_same_fields(plain, held)


def attempt(entry: Any, number: int) -> Reverted | None:
    try:
        entry(number)
    except Reverted as error:
        return error
    return None


def state(plain: Any) -> dict[str, Any]:
    return {name: frozen(value) for name, value in vars(plain).items()}


def require_same_fields(plain: Any, held: Any) -> None:
    fields = held.fields
    assert {name: frozen(getattr(fields, name)) for name in vars(plain)} == state(plain)


def differ(examples: int) -> None:
    """Compare both sides in so many programs."""

    @settings(
        max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    @given(programs)
    def run(program: Program) -> None:
        compare(program)

    run()


def test_contract_does_what_plain_object_does() -> None:
    differ(int(os.environ.get("BOARDCHAIN_PROGRAMS", "150")))
