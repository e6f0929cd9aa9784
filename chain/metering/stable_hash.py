"""Deterministic `hash`, and a refusal of `id`: Python's `hash` of a text differs in every run, and `id` is an address.

Authors call `hash` in the `__hash__` of a class, and its result decides how often an `__eq__` runs. So the same value has the
same hash everywhere. The hashes that Python's own sets and dicts use need no change: they cannot be observed, because both
yield their items in the order of insertion.
"""

from __future__ import annotations

from enum import Enum
from types import FunctionType, MethodWrapperType, WrapperDescriptorType
from typing import Any, Final, NoReturn

from chain.foundation.dataclass import is_generated
from chain.foundation.light_hashes import blake2b
from chain.metering.fuel import charge_8

_NOTHING: Final = 0x1CA11
_TEXTS: Final = (str.__hash__, bytes.__hash__)
_OF_MEMBERS: Final[tuple[object, ...]] = (Enum.__hash__, object.__hash__)


def stable_hash(value: object, /) -> int:
    """Return a hash that is the same in every run and on every machine."""
    charge_8()
    return _hashed(value, type(value).__hash__)


def hashing(thing: object) -> object:
    """Return `thing.__hash__`, not called yet, with stable results."""
    bound_hash = getattr(thing, "__hash__", None)
    if isinstance(bound_hash, MethodWrapperType):
        method = vars(bound_hash.__objclass__)["__hash__"]
        return lambda: _hashed(bound_hash.__self__, method)
    if isinstance(bound_hash, WrapperDescriptorType):
        return lambda value: _hashed(value, bound_hash)
    return bound_hash


def _hashed(value: Any, how: object) -> int:
    value_type = type(value)
    if value is None:
        return _NOTHING
    if how is int.__hash__ or how is None:  # without a method, `hash` raises
        return hash(value)
    if how in _TEXTS:
        data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else bytes(value)
        return hash(int.from_bytes(blake2b(data, digest_size=8).digest()))
    if how is tuple.__hash__:
        return hash(tuple(map(stable_hash, value)))
    if how is frozenset.__hash__:
        return hash(frozenset(map(stable_hash, value)))
    if isinstance(value, Enum) and how in _OF_MEMBERS:
        return stable_hash(value.name)
    if isinstance(how, FunctionType):
        dataclass_fields = is_generated(how) and getattr(value, "__dataclass_fields__", None)
        return (
            hash(how(value))
            if not dataclass_fields
            else stable_hash(_fields(value, dataclass_fields))
        )
    raise TypeError(
        f"a {value_type.__name__} has no hash that is the same everywhere: define __hash__ in its class"
    )


def _fields(value: object, fields: Any) -> tuple[object, ...]:
    """Return the field values that the generated `__hash__` of a dataclass uses."""
    return tuple(
        getattr(value, name)
        for name, field in fields.items()
        if (field.compare if field.hash is None else field.hash)
    )


def no_identity(value: object, /) -> NoReturn:
    """Refuse `id(…)`."""
    raise TypeError(
        "id is an address in this machine's memory: compare with 'is' or '==', or number the objects yourself"
    )
