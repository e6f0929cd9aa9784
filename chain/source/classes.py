"""A class of the package as its text tells it: fields, methods, what it derives from, whether its instances change."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from chain.source.modules import (
    Definition,
    SourceTree,
)
from chain.source.word_sets import word_set

Function = ast.FunctionDef | ast.AsyncFunctionDef

# Methods that change the list, dict, set or deque they are called on.
CHANGERS: Final = word_set(
    """
    append extend insert remove pop clear sort reverse update add discard setdefault popitem appendleft extendleft popleft
    rotate subtract move_to_end difference_update intersection_update symmetric_difference_update
    """
)
_PLAIN_BASES: Final = ("Protocol", "Generic", "ABC", "object", "Contract", "System", "World")
_PRINTED: Final = ("dataclass", "model", "event", "error")  # decorators that write a `__repr__`


@dataclass(eq=False, slots=True)
class Class:
    path: str
    definition: Definition
    bases: list[str]  # as they are written, the brackets behind them left out
    fields: dict[str, ast.expr] = field(default_factory=dict)
    methods: dict[str, Function] = field(default_factory=dict)
    members: set[str] = field(default_factory=set)  # what is assigned without an annotation

    @property
    def node(self) -> ast.ClassDef:
        assert isinstance(self.definition.node, ast.ClassDef)
        return self.definition.node


@lru_cache(maxsize=2048)
def class_of(definition: Definition) -> Class:
    node = definition.node
    assert isinstance(node, ast.ClassDef)
    bases = [
        ast.unparse(base.value if isinstance(base, ast.Subscript) else base) for base in node.bases
    ]
    found = Class(f"{definition.module.name}.{definition.name}", definition, bases)
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            found.fields[each.target.id] = each.annotation
        elif isinstance(each, Function):
            found.methods[each.name] = each
            if each.name == "__init__":
                found.fields = {**dict(_set_on_self(each)), **found.fields}
        elif isinstance(each, ast.Assign):
            found.members.update(name.id for name in each.targets if isinstance(name, ast.Name))
    return found


def _set_on_self(method: Function) -> Iterator[tuple[str, ast.expr]]:
    """What `__init__` sets, with an annotation, or as a collection of which one sees the kind."""
    for node in ast.walk(method):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute):
            yield node.target.attr, node.annotation
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
            kind = _COLLECTIONS.get(type(node.value)) or _maker(node.value)
            if kind is not None:
                yield node.targets[0].attr, ast.Name(kind, ast.Load())


_COLLECTIONS: Final[Mapping[type[ast.expr], str]] = MappingProxyType(
    {
        **dict.fromkeys((ast.Set, ast.SetComp), "set"),
        **dict.fromkeys((ast.List, ast.ListComp), "list"),
        **dict.fromkeys((ast.Dict, ast.DictComp), "dict"),
    }
)


def _maker(node: ast.expr) -> str | None:
    """`set` of `set(…)`"""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id if node.func.id in ("set", "frozenset", "list", "dict") else None
    return None


def lineage(cls: Class, sources: SourceTree) -> Iterator[Class]:
    """The class and those of the package that it derives from."""
    waiting, seen = [cls], {cls.path}
    while waiting:
        found = waiting.pop(0)
        yield found
        for base in found.bases:
            parent = sources.definition(f"{found.definition.module.name}.{base}")
            if parent and not parent[1] and isinstance(parent[0].node, ast.ClassDef):
                above = class_of(parent[0])
                if above.path not in seen:
                    seen.add(above.path)
                    waiting.append(above)


def method_of(cls: Class, name: str, sources: SourceTree) -> Function | None:
    return next(
        (each.methods[name] for each in lineage(cls, sources) if name in each.methods), None
    )


def is_enum(cls: Class, sources: SourceTree) -> bool:
    names = [base.rpartition(".")[2] for each in lineage(cls, sources) for base in each.bases]
    return any(name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag") for name in names)


def is_printable(cls: Class, sources: SourceTree) -> bool:
    """Whether the text of an instance is made of what it holds; else it has the address in memory."""
    for each in lineage(cls, sources):
        if {"__str__", "__repr__", "__format__"} & each.methods.keys():
            return True
        marks = (
            mark.func if isinstance(mark, ast.Call) else mark for mark in each.node.decorator_list
        )
        if any(ast.unparse(mark).rpartition(".")[2] in _PRINTED for mark in marks):
            return True
        for base in each.bases:
            path = f"{each.definition.module.name}.{base}"
            if sources.definition(path) is None and base.rpartition(".")[2] not in _PLAIN_BASES:
                return True
    return False


def changes_itself(cls: Class, sources: SourceTree) -> bool:
    """Whether a method, other than those that make an instance, sets something on it."""
    return any(
        changes_self(method)
        for each in lineage(cls, sources)
        for name, method in each.methods.items()
        if name not in ("__init__", "__post_init__")
    )


def changes_self(method: Function) -> bool:
    arguments = [*method.args.posonlyargs, *method.args.args]
    if not arguments:
        return False
    me = arguments[0].arg
    return any(_changes(node, me) for node in ast.walk(method))


def _changes(node: ast.AST, me: str) -> bool:
    if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(
        node.ctx, ast.Store | ast.Del
    ):
        return root_name(node) == me
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        holder = node.func.value
        is_change = node.func.attr in CHANGERS
        return (
            is_change
            and isinstance(holder, ast.Attribute | ast.Subscript)
            and root_name(holder) == me
        )
    return False


def changes_argument(function: Function, place: int) -> bool:
    """Whether a function changes what it is given as its argument at that place."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    if place >= len(arguments):
        return False
    name = arguments[place].arg
    return any(_changes(node, name) or _is_change_of(node, name) for node in ast.walk(function))


def _is_change_of(node: ast.AST, name: str) -> bool:
    """`rows.append(1)`"""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    holder = node.func.value
    return node.func.attr in CHANGERS and isinstance(holder, ast.Name) and holder.id == name


def root_name(node: ast.expr) -> str | None:
    """The name at the beginning of `name.a[0].b`."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
