"""`hash` and `id` as an author writes them: Python's `hash` of a text is another number in every run, and `id` an address.

An author asks for a hash in the `__hash__` of a class, and how often an `__eq__` runs hangs on the answer; so the same value
has the same hash everywhere. What Python's own sets and dicts go by is another matter and shows nowhere, as both hand out
their items in the order in which these came.
"""

from __future__ import annotations

from enum import Enum
from hashlib import blake2b
from types import FunctionType, MethodWrapperType, WrapperDescriptorType
from typing import Any, Final, NoReturn

from chain.metering.fuel import charge_8

_NOTHING: Final = 0x1CA11
_TEXTS: Final = (str.__hash__, bytes.__hash__)


def stable_hash(value: Any, /) -> int:
    charge_8()
    return _hashed(value, type(value).__hash__)


def hashing(thing: Any) -> Any:
    """`thing.__hash__`, uncalled."""
    found = getattr(thing, "__hash__", None)
    if isinstance(found, MethodWrapperType):
        how = vars(found.__objclass__)["__hash__"]
        return lambda: _hashed(found.__self__, how)
    if isinstance(found, WrapperDescriptorType):
        return lambda value: _hashed(value, found)
    return found


def _hashed(value: Any, how: Any) -> int:
    kind = type(value)
    if value is None:
        return _NOTHING
    if how is int.__hash__ or how is None:  # the latter raises
        return hash(value)
    if how in _TEXTS:
        data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else bytes(value)
        return hash(int.from_bytes(blake2b(data, digest_size=8).digest()))
    if how is tuple.__hash__:
        return hash(tuple(map(stable_hash, value)))
    if how is frozenset.__hash__:
        return hash(frozenset(map(stable_hash, value)))
    if how is Enum.__hash__:
        return stable_hash(value.name)
    if isinstance(how, FunctionType):
        made = how.__code__.co_filename.startswith("<") and getattr(
            value, "__dataclass_fields__", None
        )
        return hash(how(value)) if not made else stable_hash(_fields(value, made))
    raise TypeError(
        f"a {kind.__name__} has no hash that is the same everywhere: give its class a __hash__"
    )


def _fields(value: Any, fields: Any) -> tuple[Any, ...]:
    """What a dataclass makes a hash of."""
    return tuple(
        getattr(value, name)
        for name, field in fields.items()
        if (field.compare if field.hash is None else field.hash)
    )


def no_identity(value: Any, /) -> NoReturn:
    raise TypeError(
        "id is an address in this machine's memory: compare with 'is' or '==', or number the things yourself"
    )
