"""The static type of an expression, as far as its source and the names in it show.

In every function `place` is the position of the guard: the scopes in which the expression is read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar

from chain.guard.scope import Scopes
from chain.source.modules import Definition
from chain.source.static_types import (
    BYTES,
    FLOAT,
    NONE,
    NUMBER,
    PATH,
    TEXT,
    TRUTH,
    StaticType,
    attribute,
    call_result,
    copied,
    copied_whole,
    item_type,
    read,
    resolver,
    union,
)

T = TypeVar("T")


def infer(node: ast.expr | None, place: Scopes) -> StaticType | None:
    """Return the static type of an expression, or None if it is unknown."""
    infer = _BY_NODE.get(type(node))
    return infer(node, place) if infer else None


def bind_generator(node: ast.comprehension | ast.For | ast.AsyncFor, place: Scopes) -> None:
    """Bind the names that a `for` sets."""
    place.bind_target(
        node.target, item_type(infer(node.iter, place)), place.outliving_name(node.iter)
    )


def within_comprehension(node: Any, place: Scopes, answer: Callable[[], T]) -> T:
    """Return `answer()`, evaluated inside a comprehension, where the targets of its `for` clauses are known."""
    with place.scoped("comprehension", node):
        for generator in node.generators:
            bind_generator(generator, place)
        return answer()


def instance_of(kind: StaticType | None) -> StaticType | None:
    """The type of the instance that a call of a class creates."""
    return kind.of[0] if kind is not None and kind.name == "class" and kind.of else None


def _constant(node: ast.Constant, place: Scopes) -> StaticType | None:
    return _CONSTANTS.get(type(node.value))


_CONSTANTS: Final = {
    str: TEXT, int: NUMBER, bool: TRUTH, bytes: BYTES, type(None): NONE, float: FLOAT,
}  # fmt: skip


def _name(node: ast.Name, place: Scopes) -> StaticType | None:
    scope = place.scope_of(node.id)
    if scope is not None:
        return scope.kinds.get(node.id)
    resolved = place.definition(node)
    return _defined(resolved[0], place) if resolved else None


def _defined(definition: Definition, place: Scopes) -> StaticType | None:
    """The static type of a module-level name."""
    cache: dict[Definition, StaticType | None] = place.sources.kinds
    if definition not in cache:
        cache[definition] = None  # ends a cycle of names
        cache[definition] = _read_definition(definition, place)
    return cache[definition]


def _read_definition(definition: Definition, place: Scopes) -> StaticType | None:
    node = definition.node
    if isinstance(node, ast.ClassDef):
        return StaticType("class", (StaticType(f"{definition.module.name}.{definition.name}"),))
    annotated_type = read(definition.annotation, resolver(definition.module), place.sources)
    if annotated_type is not None and annotated_type.name != "typing.Final":
        return annotated_type
    return infer(definition.value, place.at_top_of(definition.module))


def _attribute(node: ast.Attribute, place: Scopes) -> StaticType | None:
    resolved = place.definition(node)
    if resolved:
        definition, rest = resolved
        value_type = _defined(definition, place)
        if rest and value_type and value_type.name == "class":
            # A member of an Enum, or a constant of a class.
            return (
                value_type.of[0]
                if rest.isupper()
                else attribute(value_type.of[0], rest, place.sources)
            )
        for name in rest.split(".") if rest else ():
            value_type = attribute(value_type, name, place.sources)
        return value_type
    return attribute(infer(node.value, place), node.attr, place.sources)


def _subscript(node: ast.Subscript, place: Scopes) -> StaticType | None:
    value_type = infer(node.value, place)
    if value_type is None:
        return None
    if isinstance(node.slice, ast.Slice):
        return copied(value_type)
    if value_type.name in ("dict", "map"):
        return value_type.of[1] if len(value_type.of) == 2 else None
    if value_type.name == "tuple" and isinstance(node.slice, ast.Constant):
        index = node.slice.value
        return (
            value_type.of[index] if isinstance(index, int) and index < len(value_type.of) else None
        )
    return (
        item_type(value_type)
        if value_type.name in ("list", "tuple", "vector", "text", "bytes")
        else None
    )


def _call(node: ast.Call, place: Scopes) -> StaticType | None:
    path = place.path(node.func)
    if path is None:
        return (
            _call_of_local(node.func, place)
            if isinstance(node.func, ast.Name)
            else _method(node, place)
        )
    home, _, name = path.rpartition(".")
    if home == "builtins":
        return _built_in(name, node.args, place)
    resolved = place.sources.definition(path)
    if resolved is None:
        if path == "collections.defaultdict":
            return StaticType("dict", (None, None))
        if path in _LIKE_THEIR_ARGUMENT and node.args:
            return _copy_of(infer(node.args[0], place), path)
        if path.startswith(("pathlib.", "importlib.resources.")):
            return PATH
        return StaticType(path) if name[:1].isupper() else None
    definition, rest = resolved
    if rest:
        return _method(node, place)
    if isinstance(definition.node, ast.ClassDef):
        return StaticType(f"{definition.module.name}.{definition.name}")
    if isinstance(definition.node, ast.FunctionDef):
        return read(definition.node.returns, resolver(definition.module), place.sources)
    return instance_of(_defined(definition, place))


def _copy_of(kind: StaticType | None, path: str) -> StaticType | None:
    if kind is None or not path.startswith("copy."):
        return kind  # the copy holds the same lists
    return copied_whole(kind) if path == "copy.deepcopy" else copied(kind)


def _call_of_local(func: ast.Name, place: Scopes) -> StaticType | None:
    """The result of calling a local name: a function defined in the scope, or a class."""
    scope = place.scope_of(func.id)
    function = scope.functions.get(func.id) if scope is not None else None
    if function is not None:
        return place.annotated(function.returns)
    return instance_of(infer(func, place))


_LIKE_THEIR_ARGUMENT: Final = (
    "dataclasses.replace", "copy.copy", "copy.deepcopy", "copy.replace", "types.MappingProxyType",
)  # fmt: skip


def _method(node: ast.Call, place: Scopes) -> StaticType | None:
    if not isinstance(node.func, ast.Attribute):
        return None
    holder_type = infer(node.func.value, place)
    return call_result(instance_of(holder_type) or holder_type, node.func.attr, place.sources)


def _built_in(name: str, args: list[ast.expr], place: Scopes) -> StaticType | None:
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    types = [infer(arg, place) for arg in args]
    items = [item_type(value_type) for value_type in types] or [None]
    if name == "type":
        return StaticType("class", (types[0],)) if len(args) == 1 else None
    if name in ("set", "frozenset"):
        return StaticType("set", (items[0],))
    if name in ("list", "tuple", "sorted"):
        return StaticType("list", (items[0],))
    if name in ("reversed", "iter", "filter"):
        return StaticType("stream", (items[-1],))
    if name == "enumerate":
        return StaticType("stream", (StaticType("tuple", (NUMBER, items[0])),))
    if name == "zip":
        return StaticType("stream", (StaticType("tuple", tuple(items)),))
    if name in ("min", "max", "next"):
        return items[0] if len(args) == 1 or name == "next" else types[0]
    return StaticType("dict", (None, None)) if name == "dict" else None


_BUILT_IN: Final[Mapping[str, StaticType]] = MappingProxyType(
    {
        **dict.fromkeys(("int", "len", "ord", "hash", "id"), NUMBER),
        **dict.fromkeys(("str", "chr", "bin", "hex", "oct", "format", "repr", "ascii"), TEXT),
        **dict.fromkeys(("bool", "isinstance", "issubclass", "any", "all", "callable"), TRUTH),
        **dict.fromkeys(("bytes", "bytearray"), BYTES),
        "float": FLOAT,
    }
)


def _binary(node: ast.BinOp, place: Scopes) -> StaticType | None:
    left, right = infer(node.left, place), infer(node.right, place)
    if isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor | ast.Sub):
        for operand_type in (left, right):
            if operand_type is not None and operand_type.name in ("set", "keys", "items"):
                return StaticType("set", operand_type.of)
    if isinstance(node.op, ast.Div):
        return PATH if PATH in (left, right) else FLOAT
    return copied(left) if left == right else None


def _several(nodes: list[ast.expr], place: Scopes) -> StaticType | None:
    return union(*(infer(node, place) for node in nodes[:8])) if nodes else None


def _sequence(node: ast.List | ast.Tuple, place: Scopes) -> StaticType:
    if isinstance(node, ast.Tuple):
        return StaticType("tuple", tuple(infer(element, place) for element in node.elts[:8]))
    return StaticType("list", (_several(node.elts, place),))


def _set(node: ast.Set, place: Scopes) -> StaticType:
    return StaticType("set", (_several(node.elts, place),))


def _dict(node: ast.Dict, place: Scopes) -> StaticType:
    return StaticType("dict", (None, _several(node.values, place)))


def _comprehension(
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp, place: Scopes
) -> StaticType:
    value_type = within_comprehension(node, place, lambda: infer(node.elt, place))
    return StaticType(_COMPREHENSIONS[type(node)], (value_type,))


_COMPREHENSIONS: Final[Mapping[type[ast.expr], str]] = MappingProxyType(
    {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "stream"}
)


def _dict_comprehension(node: ast.DictComp, place: Scopes) -> StaticType:
    key, value = within_comprehension(
        node, place, lambda: (infer(node.key, place), infer(node.value, place))
    )
    return StaticType("dict", (key, value))


Infer = Callable[[Any, Scopes], StaticType | None]

_BY_NODE: Final[Mapping[object, Infer]] = MappingProxyType(
    {
        ast.Constant: _constant,
        ast.Name: _name,
        ast.Attribute: _attribute,
        ast.Subscript: _subscript,
        ast.Call: _call,
        ast.BinOp: _binary,
        ast.BoolOp: lambda node, place: _several(node.values, place),
        ast.IfExp: lambda node, place: _several([node.body, node.orelse], place),
        ast.NamedExpr: lambda node, place: infer(node.value, place),
        ast.List: _sequence,
        ast.Tuple: _sequence,
        ast.Set: _set,
        ast.Dict: _dict,
        ast.ListComp: _comprehension,
        ast.SetComp: _comprehension,
        ast.GeneratorExp: _comprehension,
        ast.DictComp: _dict_comprehension,
    }
)
