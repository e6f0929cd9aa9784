"""Attributes that are computed when they are first read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, Self, TypeVar, overload

T = TypeVar("T")
_put: Final = object.__setattr__


class cached_attribute(Generic[T]):  # noqa: N801  # a decorator, like Python's `cached_property`
    """`functools.cached_property`, except that it makes no `__dict__`.

    Python keeps the attributes of an object in an array until its `__dict__` is read. From then on it takes several times as
    long to read any of them.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Self | T:
        if instance is None:
            return self
        value = self._compute(instance)
        _put(instance, self._name, value)
        return value
