"""Python's dataclasses, made in a fifth of the time: a process that starts a game makes two hundred of them.

Python compiles six methods for a frozen class. Here only `__init__` is compiled, that of a class of the chain's own when it is
first needed; the others are closures over the names of the fields. They do the same, and a frozen class with slots is
constructed faster. Type checkers see Python's own decorator.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError
from functools import partial
from inspect import CO_VARARGS, CO_VARKEYWORDS
from operator import attrgetter
from reprlib import recursive_repr
from types import FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        """Make a dataclass of `cls`, or return a decorator that does, with the options of `_make`."""
        return partial(_make, **options) if cls is None else _make(cls, **options)


_ARGUMENT_ONLY: Final = dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]
_MADE_LATER: Final = object()  # in place of an argument that a factory makes
_OURS: Final = __name__.partition(".")[0] + "."  # how the names of the chain's modules begin


def _make(
    cls: type,
    /,
    *,
    repr: bool = True,
    eq: bool = True,
    unsafe_hash: bool = False,
    frozen: bool = False,
    slots: bool = False,
    **others: bool,
) -> type:
    """Return what `dataclasses.dataclass` returns. With other options, Python makes it."""
    options = {"repr": repr, "eq": eq, "unsafe_hash": unsafe_hash, "frozen": frozen}
    if others:
        return dataclasses.dataclass(slots=slots, **options, **others)(cls)
    own, has_text = set(vars(cls)), bool(cls.__doc__)
    if vars(cls).get("__hash__") is None and "__eq__" in own:
        own.discard("__hash__")  # Python set it, because of `__eq__`
    cls.__doc__ = cls.__doc__ or cls.__name__  # or Python describes all parameters, slowly
    # If a base is a dataclass, Python checks that both are frozen, or none.
    is_derived = any(map(dataclasses.is_dataclass, cls.__mro__[1:]))
    cls = dataclasses.dataclass(
        init=False, repr=False, eq=False, frozen=frozen and is_derived, slots=slots
    )(cls)
    for option, is_set in {"init": True, **options}.items():
        setattr(cls.__dataclass_params__, option, is_set)  # type: ignore[attr-defined]
    fields = dataclasses.fields(cls)
    names = [field.name for field in fields]
    if not has_text:
        cls.__doc__ = f"{cls.__name__}({', '.join(names)})"
    methods: dict[str, Any] = {}
    if "__init__" in own or not cls.__module__.startswith(_OURS):
        methods["__init__"] = _init(cls, frozen)
    else:
        cls.__init__ = _LateInit(cls, frozen)  # type: ignore[misc]
    if repr:
        methods["__repr__"] = _repr([field.name for field in fields if field.repr])
    if eq:
        methods["__eq__"] = _eq([field.name for field in fields if field.compare])
    if frozen and slots:
        methods |= _state(names)
    _add(cls, {name: method for name, method in methods.items() if name not in own})
    if frozen:
        _add(cls, _refusals(cls, frozenset(names)), own)
    if unsafe_hash or (eq and frozen and "__hash__" not in own):
        hashed = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]
        _add(cls, {"__hash__": _hash(hashed)}, own)
    elif eq and "__hash__" not in own:
        cls.__hash__ = None  # type: ignore[assignment]
    return cls


def has_plain_init(cls: type) -> bool:
    """True if a dataclass is constructed from its fields in their order, and from nothing else."""
    init = cls.__init__  # type: ignore[misc]
    if not isinstance(init, FunctionType):
        return False
    names, code = tuple(field.name for field in dataclasses.fields(cls)), init.__code__
    has_others = code.co_kwonlyargcount or code.co_flags & (CO_VARARGS | CO_VARKEYWORDS)
    return not has_others and code.co_varnames[1 : code.co_argcount] == names


def is_made_here(method: FunctionType) -> bool:
    """True if a dataclass got this method here; `__init__`, which shows the fields, is not among them."""
    return method.__globals__ is globals()


def is_generated(method: FunctionType) -> bool:
    """True if a dataclass got this method here, or from Python."""
    return is_made_here(method) or method.__code__.co_filename.startswith("<")


def _add(cls: type, methods: Mapping[str, Any], own: Collection[str] = ()) -> None:
    """Set these methods. Refuse to replace those of its `own`."""
    for name, method in methods.items():
        if name in own:
            raise TypeError(f"Cannot overwrite attribute {name} in class {cls.__name__}")
        method.__name__, method.__qualname__ = name, f"{cls.__qualname__}.{name}"
        method.__module__ = cls.__module__
        setattr(cls, name, method)


class _LateInit:
    """In place of `__init__` until somebody asks for it: a process makes objects of few of the chain's classes."""

    def __init__(self, cls: type, frozen: bool) -> None:
        self._cls, self._frozen = cls, frozen

    def __get__(self, thing: object, owner: type | None = None) -> Any:
        init = _init(self._cls, self._frozen)
        _add(self._cls, {"__init__": init})
        return init.__get__(thing, owner)


def _init(cls: type, frozen: bool) -> Any:
    """Return `__init__`. It is compiled, so that it is fast, and refuses wrong arguments in Python's words."""
    fields: list[Field[Any]] = [*cls.__dataclass_fields__.values()]  # type: ignore[attr-defined]
    arguments = [field for field in fields if field._field_type is _ARGUMENT_ONLY]  # type: ignore[attr-defined]
    stored = dataclasses.fields(cls)
    taken = [field for field in fields if field.init and (field in arguments or field in stored)]
    things: dict[str, Any] = {"__later__": _MADE_LATER, "__put__": object.__setattr__}
    for field in fields:
        things[f"__field_{field.name}__"] = field
        things[f"__set_{field.name}__"] = getattr(getattr(cls, field.name, None), "__set__", None)
    lines = [f"def __init__({', '.join(['__self__', *_parameters(taken)])}):"]
    lines += [line for field in stored for line in _setting(cls, field, frozen)]
    if hasattr(cls, "__post_init__"):
        lines.append(f"__self__.__post_init__({', '.join(field.name for field in arguments)})")
    exec(compile("\n ".join([*lines, "pass"]), f"<initialize {cls.__name__}>", "exec"), things)
    made = things["__init__"]
    made.__annotations__ = {field.name: field.type for field in taken} | {"return": None}
    return made


def _parameters(fields: Sequence[Field[Any]]) -> list[str]:
    """Return the parameters for these fields as text, those that are passed by name last."""
    positional, by_name, defaulted = [], ["*"], ""
    for field in fields:
        default = ""
        if field.default is not MISSING:
            default = f" = __field_{field.name}__.default"
        elif field.default_factory is not MISSING:
            default = " = __later__"
        if field.kw_only:
            by_name.append(field.name + default)
            continue
        if defaulted and not default:
            # Python names the second one since 3.13.
            raise TypeError(
                f"non-default argument {field.name!r} follows default argument {defaulted!r}"
            )
        defaulted = field.name if default else ""
        positional.append(field.name + default)
    return [*positional, *(by_name if by_name[1:] else ())]


def _setting(cls: type, field: Field[Any], frozen: bool) -> list[str]:
    """Return the statement that sets a field of a new object; none if its class has the value."""
    name = value = field.name
    has_slot = isinstance(getattr(cls, name, None), MemberDescriptorType)
    if field.default_factory is not MISSING:
        made = f"__field_{name}__.default_factory()"
        value = f"{made} if {name} is __later__ else {name}" if field.init else made
    elif not field.init:
        if field.default is MISSING or not has_slot:
            return []
        value = f"__field_{name}__.default"
    if not frozen:
        return [f"__self__.{name} = {value}"]
    put = f"__set_{name}__(__self__, " if has_slot else f"__put__(__self__, {name!r}, "
    return [f"{put}{value})"]


def _repr(names: Sequence[str]) -> Any:
    @recursive_repr()
    def text(self: object) -> str:
        parts = []
        for name in names:  # no comprehension, which would need more of Python's stack
            parts.append(f"{name}={getattr(self, name)!r}")
        return f"{self.__class__.__qualname__}({', '.join(parts)})"

    return text


def _eq(names: Sequence[str]) -> Any:
    values = _getter(names)

    def equals(self: object, other: object) -> Any:
        return (
            values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented
        )

    return equals


def _hash(names: Sequence[str]) -> Any:
    values = _getter(names)

    def hashed(self: object) -> int:
        return hash(values(self))

    return hashed


def _getter(names: Sequence[str]) -> Callable[[object], tuple[object, ...]]:
    """Return a function that returns the values of these attributes."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda thing: tuple([getattr(thing, name) for name in names])


def _refusals(cls: type, names: frozenset[str]) -> dict[str, Any]:
    """Return the methods that refuse to change a frozen object. Subclasses may have attributes of their own."""
    parent: Any = super

    def set_attribute(self: object, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        parent(cls, self).__setattr__(name, value)

    def delete_attribute(self: object, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        parent(cls, self).__delattr__(name)

    return {"__setattr__": set_attribute, "__delattr__": delete_attribute}


def _state(names: Sequence[str]) -> dict[str, Any]:
    """Return the methods with which `copy` and `pickle` fill a frozen object that has slots."""

    def state(self: object) -> list[object]:
        return [getattr(self, name) for name in names]

    def set_state(self: object, values: Sequence[object]) -> None:
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    return {"__getstate__": state, "__setstate__": set_state}
