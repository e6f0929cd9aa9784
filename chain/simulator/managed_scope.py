"""Scopes: context managers that warn if they are called without `with`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial, wraps
from types import TracebackType
from typing import Any, Generic, ParamSpec, TypeVar, cast

P = ParamSpec("P")
F = TypeVar("F", bound=Callable[..., object])
T_co = TypeVar("T_co", covariant=True)


class Scope(AbstractContextManager[T_co], Generic[T_co]):
    """The result of a function with `@scope`. It takes effect in a `with`; without one it does nothing and warns."""

    _entered = True

    def __init__(self, name: str, make: Callable[[], AbstractContextManager[T_co]]) -> None:
        self._name, self._make = name, make
        self._entered = False

    def __repr__(self) -> str:
        return f"<Scope {self._name}(…), for a with statement>"

    def __call__(self, function: F) -> F:
        """Decorate a function: each call of `function` runs in a new scope."""
        self._entered, make = True, self._make

        @wraps(function)
        def wrapper(*args: object, **named: object) -> Any:
            with make():
                return function(*args, **named)

        return cast(F, wrapper)

    def __enter__(self) -> T_co:
        self._entered = True
        self._inner = self._make()
        return self._inner.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        __tracebackhide__ = True
        return self._inner.__exit__(kind, problem, traceback)

    def __del__(self) -> None:
        if not self._entered:
            warnings.warn(
                f"{self._name}(…) does nothing by itself: write 'with {self._name}(…):'",
                RuntimeWarning,
                stacklevel=2,
            )


def scope(function: Callable[P, AbstractContextManager[T_co]]) -> Callable[P, Scope[T_co]]:
    """Decorate a function that returns a context manager, so that it returns a `Scope`."""

    @wraps(function)
    def wrapper(*args: P.args, **named: P.kwargs) -> Scope[T_co]:
        return Scope(function.__name__, partial(function, *args, **named))

    return wrapper
