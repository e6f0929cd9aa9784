"""Assertions about a chain: a call must be refused, or certain events must have been emitted.

An assertion checks what it names and no more. When it fails, it shows the actual outcome.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any, TypeAlias, TypeVar

from chain.abi import BadData
from chain.errors import Reverted
from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import put
from chain.ledger.logs import is_event
from chain.machine.failure import Failure
from chain.simulator.handle import Handle
from chain.simulator.log_queries import LogQueries
from chain.simulator.managed_scope import scope
from chain.values import short_repr

C = TypeVar("C")
Reason: TypeAlias = str | re.Pattern[str] | type[BaseException] | BaseException | None


@dataclass(frozen=True)
class RevertInfo:
    """The revert that a `with reverts(...)` caught; empty until the scope ends.

    >>> with reverts() as caught:
    ...     race.roll(value=1)
    >>> caught.receipt.entry, caught.error.text
    ('roll', 'Race.roll takes no value: it is not payable')
    """

    reverted: Reverted | None = None  # the exception

    @property
    def receipt(self) -> Any:
        """The receipt of the failed transaction, or the `CallResult` of a failed view."""
        return self._reverted().receipt

    @property
    def error(self) -> Failure:
        """The reason, as in the receipt."""
        failure: Failure = self._reverted().error
        return failure

    def _reverted(self) -> Reverted:
        if self.reverted is None:
            raise AttributeError("nothing is caught before the 'with' ends")
        return self.reverted


@scope
@contextmanager
def reverts(expected: Reason = None) -> Iterator[RevertInfo]:
    """Expect a revert in this scope.

    `expected` is a part of the reason's text, a pattern to be found in it, a class declared with `@error` or an instance of
    it (whose fields must be equal), or the class of a Python exception.

    >>> with reverts("takes no value") as caught:
    ...     race.roll(value=1)
    >>> caught.error.kind
    'refused'
    """
    __tracebackhide__ = True
    reason, caught = _show_reason(expected), RevertInfo()
    try:
        yield caught
    except Reverted as reverted:
        put(caught, "reverted", reverted)
        if not _is_expected(reverted.error, expected):
            raise AssertionError(
                f"it reverted with: {reverted.error}\nnot with: {reason}"
            ) from reverted
    else:
        raise AssertionError(f"nothing reverted; expected: {reason}")


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
    """True if revert data are those of a declared error. Only the data decide, so bytecode counts too."""
    spec = expected.__error__
    if data[:4] != spec.selector:
        return False
    try:
        return isinstance(expected, type) or bool(spec.decode(data) == expected)
    except BadData:
        return False


def _show_reason(expected: object) -> str:
    """Return the expected reason as text; raise TypeError if it is not a possible reason."""
    if expected is None:
        return "any reason"
    if isinstance(expected, type) and issubclass(expected, BaseException):
        return expected.__name__
    if isinstance(expected, re.Pattern):
        return f"a match of {expected.pattern!r}"
    if isinstance(expected, str) or getattr(expected, "__error__", None) is not None:
        return repr(expected)
    raise TypeError(
        f"{expected!r} is not a reason to revert: give a text, a pattern, an @error class or instance, or an exception class"
    )


def assert_events(source: object, *expected: object) -> None:
    """Check that the expected events were emitted, in this order; others may come before, between and after.

    `source` is a receipt, a chain, or events. An expected event is an instance, a class or a name, or a tuple of one of
    these two and a dict of some of its fields: `assert_events(receipt, Moved(1, alice), (Ended, {"winner": bob}))`.

    >>> assert_events(receipt, Moved(alice, 4))
    >>> assert_events(chain, (Moved, {"player": alice}))
    >>> assert_events(receipt, Moved(alice, 5))
    Traceback (most recent call last):
        ...
    AssertionError: no Moved(player=<Account alice 0xf39F...>, square=5) was emitted; the events are:
      Moved(player=Address('0xf39F...'), square=4)
    """
    __tracebackhide__ = True
    for expected_event in expected:
        if isinstance(expected_event, tuple) and (
            len(expected_event) != 2 or not isinstance(expected_event[1], dict)
        ):
            raise TypeError(
                f"{short_repr(expected_event)} is not an event and a dict of some of its fields"
            )
    events = _events_of(source)
    remaining = iter(events)
    for number, expected_event in enumerate(expected):
        if not any(_is_like(event, expected_event) for event in remaining):
            after = f" after {_show_event(expected[number - 1])}" if number else ""
            listed = "".join(f"\n  {event!r}" for event in events) or " none"
            raise AssertionError(
                f"no {_show_event(expected_event)} was emitted{after}; the events are:{listed}"
            )


def _events_of(source: object) -> list[object]:
    if isinstance(source, LogQueries):
        return [event for receipt in source.receipts for event in receipt.events]
    events: object = getattr(source, "events", source)
    if isinstance(source, type) or not isinstance(events, Iterable):
        raise TypeError(
            f"{short_repr(source)} has no events: pass a receipt, a chain or events first"
        )
    return list(events)


def _is_like(event: object, wanted: object) -> bool:
    if isinstance(wanted, type | str):
        return is_event(event, wanted)
    if isinstance(wanted, tuple):
        event_type, some_fields = wanted
        return is_event(event, event_type) and _has(event, some_fields)
    if not is_dataclass(wanted) or type(event) is not type(wanted):
        return False
    return _has(event, {field.name: getattr(wanted, field.name) for field in fields(wanted)})


def _has(event: object, wanted: Mapping[str, object]) -> bool:
    """True if these fields of an event have these values."""
    for name in wanted:
        if not hasattr(event, name):
            raise TypeError(f"{type(event).__name__} has no field '{name}': there is {event!r}")
    return all(_is_same(getattr(event, name), value) for name, value in wanted.items())


def _is_same(found: object, wanted: object) -> bool:
    """True if a field has this value. A handle stands for its address, as everywhere."""
    return bool(found == (wanted.address if isinstance(wanted, Handle) else wanted))


def _show_event(wanted: object) -> str:
    if isinstance(wanted, tuple):
        event_type, some_fields = wanted
        return f"{_show_event(event_type)}({', '.join(f'{name}={value!r}' for name, value in some_fields.items())}, …)"
    if isinstance(wanted, type):
        return wanted.__name__
    return wanted if isinstance(wanted, str) else repr(wanted)
