"""A class of the package as its source shows it: its fields, methods and bases, and whether its instances change."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import field
from functools import lru_cache
from typing import Final

from chain.foundation.dataclass import dataclass
from chain.source.location import Function
from chain.source.modules import Definition, SourceTree
from chain.source.word_sets import word_set

# Methods that change the list, dict, set or deque they are called on.
CHANGERS: Final = word_set(
    """
    append extend insert remove pop clear sort reverse update add discard setdefault popitem appendleft extendleft popleft
    rotate subtract move_to_end difference_update intersection_update symmetric_difference_update
    """
)
CONTRACT_BASES: Final = frozenset(
    f"chain.{home}{name}"
    for name in ("Contract", "System", "World")
    for home in ("", f"runtime.{name.lower()}.")
)


@dataclass(eq=False, slots=True)
class Class:
    """A class statement with its bases, fields and methods. `path` is its dotted path."""

    path: str
    definition: Definition
    bases: list[str]  # as written, without type arguments
    fields: dict[str, ast.expr] = field(default_factory=dict)
    methods: dict[str, Function] = field(default_factory=dict)
    members: set[str] = field(default_factory=set)  # names assigned without an annotation

    @property
    def node(self) -> ast.ClassDef:
        assert isinstance(self.definition.node, ast.ClassDef)
        return self.definition.node


@lru_cache(maxsize=2048)
def class_of(definition: Definition) -> Class:
    """The class that a definition makes."""
    node = definition.node
    assert isinstance(node, ast.ClassDef)
    bases = [
        ast.unparse(base.value if isinstance(base, ast.Subscript) else base) for base in node.bases
    ]
    cls = Class(f"{definition.module.name}.{definition.name}", definition, bases)
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            cls.fields[statement.target.id] = statement.annotation
        elif isinstance(statement, Function):
            cls.methods[statement.name] = statement
            if statement.name == "__init__":
                cls.fields = {**dict(_set_on_self(statement)), **cls.fields}
        elif isinstance(statement, ast.Assign):
            cls.members.update(
                target.id for target in statement.targets if isinstance(target, ast.Name)
            )
    return cls


def _set_on_self(method: Function) -> Iterator[tuple[str, ast.expr]]:
    """The attributes that `__init__` sets with an annotation."""
    for node in ast.walk(method):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute):
            yield node.target.attr, node.annotation


def lineage(cls: Class, sources: SourceTree) -> Iterator[Class]:
    """The class and those of its ancestors that belong to the package."""
    pending, seen = [cls], {cls.path}
    while pending:
        current = pending.pop(0)
        yield current
        for base in current.bases:
            resolved = sources.definition(f"{current.definition.module.name}.{base}")
            if resolved and not resolved[1] and isinstance(resolved[0].node, ast.ClassDef):
                ancestor = class_of(resolved[0])
                if ancestor.path not in seen:
                    seen.add(ancestor.path)
                    pending.append(ancestor)


def method_of(cls: Class, name: str, sources: SourceTree) -> Function | None:
    return next(
        (base.methods[name] for base in lineage(cls, sources) if name in base.methods), None
    )


def is_enum(cls: Class, sources: SourceTree) -> bool:
    names = [
        base.rpartition(".")[2] for ancestor in lineage(cls, sources) for base in ancestor.bases
    ]
    return any(name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag") for name in names)


def changes_itself(cls: Class, sources: SourceTree) -> bool:
    """True if a method changes its instance, initializers aside."""
    return any(
        changes_self(method)
        for ancestor in lineage(cls, sources)
        for name, method in ancestor.methods.items()
        if name not in ("__init__", "__post_init__")
    )


def changes_self(method: Function) -> bool:
    """True if a method changes its first argument, or something in it."""
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
    """True if a function changes its argument at the position `place`."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    if place >= len(arguments):
        return False
    name = arguments[place].arg
    return any(_changes(node, name) or _is_change_of(node, name) for node in ast.walk(function))


def _is_change_of(node: ast.AST, name: str) -> bool:
    """True for a call such as `rows.append(1)`, where `name` is `rows`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    holder = node.func.value
    return node.func.attr in CHANGERS and isinstance(holder, ast.Name) and holder.id == name


def root_name(node: ast.expr) -> str | None:
    """The root of an expression: `name` of `name.a[0].b`."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def is_super(node: ast.expr) -> bool:
    """True for a call of `super`."""
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(func, ast.Name) and func.id == "super"
