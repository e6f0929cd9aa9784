"""What tests say about a chain: this call must be refused, these events must have come.

An assertion matches what it names and no more, and when it fails it shows what was there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from chain.abi import BadData
from chain.errors import Reverted
from chain.ledger.receipts import is_event
from chain.machine.frame import Failure
from chain.metering.program import (
    instrumented as instrumented,  # what a test changes to plant a fault on chain
)
from chain.schema.validation import short_repr
from chain.simulator.log_queries import LogQueries
from chain.simulator.managed_scope import scope

C = TypeVar("C")
Reason: TypeAlias = str | re.Pattern[str] | type[BaseException] | BaseException | None


def run_uninstrumented(contract: type[C]) -> type[C]:
    """Marks a contract of a test that shares lists or functions with the test: it runs on these, not on an image of its own.

    What its methods and the functions they reach compute is counted as ever; methods of other classes are not.
    """
    contract.__probe__ = True  # type: ignore[attr-defined]
    return contract


@dataclass
class RevertInfo:
    """What a `with reverts(...)` caught; there is nothing in it before the scope ends."""

    reverted: Reverted | None = None

    @property
    def receipt(self) -> Any:
        """The record of the failed transaction; of a failed view its `Observation`."""
        return self._found().receipt

    @property
    def error(self) -> Failure:
        failure: Failure = self._found().error
        return failure

    def _found(self) -> Reverted:
        if self.reverted is None:
            raise AttributeError("nothing is caught before the 'with' ends")
        return self.reverted


@scope
@contextmanager
def reverts(expected: Reason = None) -> Iterator[RevertInfo]:
    """A scope in which a call must revert.

    `expected` is a part of the reason's text, a pattern to be found in it, a class declared with `@error` or an instance of
    it (whose fields must be the same), or the class of a Python exception.
    """
    __tracebackhide__ = True
    wanted, caught = _show_reason(expected), RevertInfo()
    try:
        yield caught
    except Reverted as reverted:
        caught.reverted = reverted
        if not _is_expected(reverted.error, expected):
            raise AssertionError(
                f"it reverted with: {reverted.error}\nnot with: {wanted}"
            ) from reverted
    else:
        raise AssertionError(f"nothing reverted; expected: {wanted}")


def _is_expected(failure: Failure, expected: Any) -> bool:
    if expected is None:
        return True
    if isinstance(expected, str):
        return expected in failure.text
    if isinstance(expected, re.Pattern):
        return expected.search(failure.text) is not None
    if getattr(expected, "__error__", None) is not None:
        return _is_declared(failure.data, expected)
    return isinstance(failure.cause, expected)


def _is_declared(data: bytes, expected: Any) -> bool:
    """Whether revert data are of a declared error. They tell it wherever the refusal came from, bytecode included."""
    spec = expected.__error__
    if data[:4] != spec.selector:
        return False
    try:
        return isinstance(expected, type) or bool(spec.decode(data) == expected)
    except BadData:
        return False


def _show_reason(expected: Any) -> str:
    """The expected reason in words; a TypeError if it cannot be one."""
    if expected is None:
        return "any reason"
    if isinstance(expected, type) and issubclass(expected, BaseException):
        return expected.__name__
    if isinstance(expected, re.Pattern):
        return f"a match of {expected.pattern!r}"
    if isinstance(expected, str) or getattr(expected, "__error__", None) is not None:
        return repr(expected)
    raise TypeError(
        f"{expected!r} is no reason to revert: give a text, a pattern, an @error class or instance, or an exception class"
    )


def assert_events(source: Any, *expected: Any) -> None:
    """Each expected event must be there, in this order; others may come before, between and after.

    `source` is a receipt, a chain, or events. An expected event is an instance, a class or a name, or a tuple of one of
    these two and a dict of some of its fields: `assert_events(receipt, Moved(1, alice), (Ended, {"winner": bob}))`.
    """
    __tracebackhide__ = True
    for wanted in expected:
        if isinstance(wanted, tuple) and (len(wanted) != 2 or not isinstance(wanted[1], dict)):
            raise TypeError(
                f"{short_repr(wanted)} is not an event and a dict of some of its fields"
            )
    there = _events_of(source)
    rest = iter(there)
    for number, wanted in enumerate(expected):
        if not any(_is_like(event, wanted) for event in rest):
            after = f" after {_show_event(expected[number - 1])}" if number else ""
            listed = "".join(f"\n  {event!r}" for event in there) or " none"
            raise AssertionError(f"no {_show_event(wanted)} came{after}; the events are:{listed}")


def _events_of(source: Any) -> list[Any]:
    if isinstance(source, LogQueries):
        return source.ledger.decode_rows(source.ledger.events.rows)
    events: Any = getattr(source, "events", source)
    if isinstance(source, type) or not isinstance(events, Iterable):
        raise TypeError(
            f"{short_repr(source)} holds no events: give a receipt, a chain or events first"
        )
    return list(events)


def _is_like(event: Any, wanted: Any) -> bool:
    if isinstance(wanted, type | str):
        return is_event(event, wanted)
    if isinstance(wanted, tuple):
        kind, fields = wanted
        return is_event(event, kind) and _has(event, fields)
    return bool(event == wanted)


def _has(event: Any, fields: Mapping[str, Any]) -> bool:
    """Whether these fields of an event have these values."""
    for name in fields:
        if not hasattr(event, name):
            raise TypeError(f"{type(event).__name__} has no field '{name}': there is {event!r}")
    return all(getattr(event, name) == value for name, value in fields.items())


def _show_event(wanted: Any) -> str:
    if isinstance(wanted, tuple):
        kind, fields = wanted
        return f"{_show_event(kind)}({', '.join(f'{name}={value!r}' for name, value in fields.items())}, …)"
    if isinstance(wanted, type):
        return wanted.__name__
    return wanted if isinstance(wanted, str) else repr(wanted)
