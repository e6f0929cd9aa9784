"""Value types from annotations.

An annotation that names no value type is refused with an `UnsupportedAnnotation`, which says what to write instead.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from enum import Enum, Flag
from typing import Any

from chain.foundation.dataclass import has_plain_init
from chain.values import (
    PLAIN,
    EnumType,
    Field,
    KeyMark,
    ListType,
    OptionalType,
    RemadeType,
    StructType,
    UnionType,
    ValueType,
)
from chain.values.hints import Namespace, UnsupportedAnnotation, resolve
from chain.values.records import is_frozen_class

_KNOWN = (
    "u8 … i256, felt252, bool, str, bytes, bytes32, Address, an Enum, a frozen dataclass, list[T], tuple[…], 'T | None' or"
    " 'A | B' of frozen dataclasses"
)


def type_of_annotation(annotation: object, names: Namespace | None = None) -> ValueType:
    """Return the value type that `annotation` names, or raise `UnsupportedAnnotation`.

    `names` resolves the annotations of dataclass members that are text.
    """
    return _Reader(names or Namespace({}, {})).read(annotation)


def abi_type_of_annotation(annotation: object, names: Namespace | None = None) -> ValueType:
    """Return the type of an argument, a result or a member, or refuse it if the ABI has none for it."""
    kind = type_of_annotation(annotation, names)
    if not kind.has_abi:
        raise UnsupportedAnnotation(
            f"{format_annotation(annotation)} has a dict or set in it, for which the ABI has no type; write a list of a"
            " frozen dataclass"
        )
    return kind


def is_key(annotation: object) -> bool:
    """Return True if `annotation` is marked `Key[…]`."""
    return any(isinstance(mark, KeyMark) for mark in _strip(annotation)[1])


def without_key(annotation: object) -> object:
    """Return `annotation` without its `Key[…]`."""
    bare, marks = _strip(annotation)
    rest = tuple(mark for mark in marks if not isinstance(mark, KeyMark))
    return typing.Annotated[(bare, *rest)] if rest else bare


def _strip(annotation: Any) -> tuple[object, tuple[object, ...]]:
    """Return the type inside aliases, `NewType` and `Annotated`, and the marks of `Annotated`."""
    marks: tuple[object, ...] = ()
    while True:
        if typing.get_origin(annotation) is typing.Annotated:
            annotation, marks = annotation.__origin__, annotation.__metadata__ + marks
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":  # `type Id = u64`, from Python 3.12 on
            annotation = annotation.__value__
        else:
            return annotation, marks


class _Reader:
    """A reader of one annotation and of the dataclasses in it."""

    def __init__(self, names: Namespace) -> None:
        self.names = names
        self.open: list[type] = []  # the dataclasses being read, to detect one that contains itself

    def read(self, annotation: Any) -> ValueType:
        bare, marks = _strip(annotation)
        if any(isinstance(mark, KeyMark) for mark in marks):
            raise UnsupportedAnnotation(
                "'Key[…]' marks a whole member of a model or event; remove it here"
            )
        for mark in marks:
            if isinstance(mark, ValueType):
                return mark
        origin, items = typing.get_origin(bare), typing.get_args(bare)
        if origin is typing.Union or origin is types.UnionType:
            return self._union(bare)
        if origin is list and len(items) == 1:
            return ListType(self.read(items[0]))
        if origin is tuple:
            return self._tuple(items)
        if origin is dict and len(items) == 2:
            return RemadeType(ListType(self._tuple((self._key(items[0]), items[1]))), dict)
        if origin is set and len(items) == 1:
            return RemadeType(ListType(self.read(self._key(items[0]))), set)
        cls = origin or bare
        if isinstance(cls, type):
            return self._class(cls, annotation)
        raise UnsupportedAnnotation(
            f"{format_annotation(annotation)} is not a type the chain knows; use {_KNOWN}"
        )

    def _key(self, annotation: object) -> object:
        """Return the annotation of a key or of an item of a set, which must not change."""
        if self.read(annotation).is_changeable:
            raise UnsupportedAnnotation(
                f"{format_annotation(annotation)} can change, so it cannot be a key; use a tuple or a frozen dataclass"
            )
        return annotation

    def _union(self, bare: object) -> ValueType:
        """Return the type of `T | None`, `A | B` or `A | B | None`."""
        annotations = typing.get_args(bare)
        items = [item for item in annotations if item is not types.NoneType]
        item = self.read(items[0]) if len(items) == 1 else self._variants(bare, items)
        if len(items) == len(annotations):
            return item
        if isinstance(item, OptionalType):
            raise UnsupportedAnnotation(f"{format_annotation(bare)} has None twice; remove one")
        return OptionalType(item)

    def _variants(self, bare: object, items: list[Any]) -> UnionType:
        """Return the type of a value of one of several dataclasses."""
        variants = [self._variant(bare, item) for item in items]
        names = [variant.name for variant in variants]
        if len({*names}) < len(names):
            raise UnsupportedAnnotation(
                f"{format_annotation(bare)} has two classes of one name; rename one"
            )
        return UnionType(tuple(variants))

    def _variant(self, bare: object, item: Any) -> StructType:
        if not dataclasses.is_dataclass(item) or not is_frozen_class(item):
            raise UnsupportedAnnotation(
                f"{format_annotation(bare)} mixes types; a value has one type, is 'T | None', or one of several frozen"
                " dataclasses, as in 'Move | Pass'"
            )
        cls: Any = item
        return self._record(cls) if dataclasses.fields(cls) else StructType(cls.__name__, (), cls)

    def _tuple(self, items: tuple[object, ...]) -> ValueType:
        if len(items) == 2 and items[1] is Ellipsis:
            return ListType(self.read(items[0]), tuple)
        if items in ((), ((),)):
            raise UnsupportedAnnotation(
                "an empty tuple holds nothing; name its types, as in 'tuple[u8, u8]'"
            )
        value_types = [self.read(item) for item in items]
        name = "(" + ", ".join(value_type.name for value_type in value_types) + ")"
        return StructType(
            name, tuple(Field(str(i), value_type) for i, value_type in enumerate(value_types))
        )

    def _class(self, cls: type, annotation: object) -> ValueType:
        if cls in PLAIN:
            return PLAIN[cls]
        if cls in _REMEDIES:
            raise UnsupportedAnnotation(f"{format_annotation(cls)} {_REMEDIES[cls]}")
        if hasattr(cls, "_is_stored"):
            raise UnsupportedAnnotation(
                f"'{cls.__name__}' can only be a field of a contract or a value of its Map; write list[T] here"
            )
        if issubclass(cls, Enum):
            return _choice(cls)
        if dataclasses.is_dataclass(cls) and cls is annotation:
            return self._record(cls)
        if issubclass(cls, tuple) and hasattr(cls, "_fields") and cls is annotation:
            return self._named_tuple(cls)
        if cls is annotation and cls.__module__ not in ("builtins", "typing"):
            raise UnsupportedAnnotation(
                f"{format_annotation(cls)} is not a type the chain knows; make it a frozen dataclass or an Enum"
            )
        raise UnsupportedAnnotation(
            f"{format_annotation(annotation)} is not a type the chain knows; use {_KNOWN}"
        )

    def _record(self, cls: type) -> StructType:
        if cls in self.open:
            raise UnsupportedAnnotation(
                f"'{cls.__name__}' contains itself; store the inner one elsewhere and keep its number here"
            )
        members, wrong = list[Field](), list[str]()
        self.open.append(cls)
        for item in dataclasses.fields(cls):
            try:
                members.append(Field(item.name, self._member(cls, item)))
            except UnsupportedAnnotation as error:
                wrong += error.texts
        self.open.pop()
        if wrong:
            raise UnsupportedAnnotation(*wrong, is_of_member=True)
        if not members:
            raise UnsupportedAnnotation(f"'{cls.__name__}' has no fields; add one")
        require_positional_init(cls)
        return StructType(cls.__name__, tuple(members), cls)

    def _named_tuple(self, cls: type) -> StructType:
        names, outer = self.names, self.names
        self.names = names.for_class(cls)
        try:
            hints = inspect.get_annotations(cls)
            members = [
                Field(name, self.read(resolve(hints[name], self.names)))
                for name in cls._fields  # type: ignore[attr-defined]
                if name in hints
            ]
        finally:
            self.names = outer
        if len(members) != len(cls._fields):  # type: ignore[attr-defined]
            raise UnsupportedAnnotation(
                f"'{cls.__name__}' has members without a type; write 'class {cls.__name__}(NamedTuple)'"
            )
        return StructType(cls.__name__, tuple(members), cls)

    def _member(self, cls: type, item: dataclasses.Field[object]) -> ValueType:
        outer, self.names = self.names, self.names.for_class(declaring_class(cls, item.name))
        try:
            hint = resolve(item.type, self.names)
            return self.read(without_key(hint) if "__model__" in vars(cls) else hint)
        except UnsupportedAnnotation as error:
            if error.is_of_member:
                raise
            raise UnsupportedAnnotation(f"{cls.__name__}.{item.name}: {error}") from None
        finally:
            self.names = outer


_UNTYPED = "has no item type; write a type such as '{}'"
_REMEDIES: dict[type, str] = {
    int: "has no width; write u8, u64, i32, u256, felt252 …",
    float: "is not exact on every machine; write whole numbers, such as u64",
    list: _UNTYPED.format("list[u8]"),
    tuple: "has no item type; write 'tuple[u8, u8]' or 'tuple[u8, ...]'",
    dict: _UNTYPED.format("dict[Address, u8]"),
    set: _UNTYPED.format("set[Address]"),
    frozenset: "has no type in storage; write set[T] or tuple[T, ...]",
    bytearray: "can be changed after it is read; write bytes",
    types.NoneType: "alone holds nothing; write 'T | None'",
}


def _choice(cls: type[Enum]) -> EnumType:
    """Return the type of the Enum `cls`.

    The codes are the values of the members if these are all whole numbers below 256, otherwise their positions.
    """
    if issubclass(cls, Flag):
        raise UnsupportedAnnotation(
            f"'{cls.__name__}' is a Flag, whose members combine, and an Enum is one of its members;"
            " write u8, u16 … and set its bits by number"
        )
    values = [member.value for member in cls]
    if not 1 <= len(values) <= 256:
        raise UnsupportedAnnotation(
            f"'{cls.__name__}' has {len(values)} members; an Enum is one byte, so 1 to 256 fit"
        )
    is_coded = all(type(value) is int and 0 <= value < 256 for value in values)
    return EnumType(cls.__name__, cls, tuple(values if is_coded else range(len(values))))


def declaring_class(cls: type, name: str) -> type:
    """Return the class whose body annotates the member `name` of `cls`."""
    return next((parent for parent in cls.__mro__ if name in inspect.get_annotations(parent)), cls)


def require_positional_init(cls: type) -> None:
    """Refuse a dataclass that is not constructed by `cls(first, second, …)`, which is how a stored value is read."""
    if type(cls) is type and cls.__new__ is object.__new__ and has_plain_init(cls):  # type: ignore[comparison-overlap]
        return
    names = [item.name for item in dataclasses.fields(cls)]
    parameters = list(inspect.signature(cls).parameters.values())
    if [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD] != names or len(
        parameters
    ) != len(names):
        raise UnsupportedAnnotation(
            f"'{cls.__name__}' is not constructed from its fields in order; remove kw_only, "
            "init=False, InitVar and its own __init__"
        )


def format_annotation(annotation: object) -> str:
    """Return an annotation as its author wrote it, in quotes."""
    return f"'{_written(annotation)}'"


def _written(annotation: object) -> str:
    bare, marks = _strip(annotation)
    marked_names = [mark.name for mark in marks if isinstance(mark, ValueType)]
    if marked_names:
        return marked_names[0]
    origin, items = typing.get_origin(bare), typing.get_args(bare)
    if origin is typing.Union or origin is types.UnionType:
        return " | ".join(_written(item) for item in items)
    if origin is not None and items and not isinstance(items[0], list):
        return f"{_written(origin)}[{', '.join(_written(item) for item in items)}]"
    if bare is types.NoneType or bare is Ellipsis:
        return "None" if bare is not Ellipsis else "..."
    return str(getattr(bare, "__name__", None) or str(bare).replace("typing.", ""))
