"""Of what kind an expression is, as far as its text and the names in it tell."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from chain.source.static_types import (
    BYTES,
    FLOAT,
    FUNCTION,
    NONE,
    NUMBER,
    PATH,
    SET,
    TEXT,
    TRUTH,
    Kind,
    attribute,
    call_result,
    copied,
    copied_whole,
    either,
    element,
    finder,
    read,
)

if TYPE_CHECKING:
    from chain.guard.scope import Place
    from chain.source.modules import Definition


def kind_of(node: ast.expr | None, place: Place) -> Kind | None:
    infer = _BY_NODE.get(type(node))
    return infer(node, place) if infer else None


def _constant(node: ast.Constant, place: Place) -> Kind | None:
    return _CONSTANTS.get(type(node.value))


_CONSTANTS: Final = {
    str: TEXT, int: NUMBER, bool: TRUTH, bytes: BYTES, type(None): NONE, float: FLOAT,
}  # fmt: skip


def _name(node: ast.Name, place: Place) -> Kind | None:
    scope = place.holder(node.id)
    if scope is not None:
        return scope.kinds.get(node.id)
    if place.path(node) in _SETS:
        return Kind("class", (SET,))
    found = place.definition(node)
    return _defined(found[0], place) if found else None


_SETS: Final = ("builtins.set", "builtins.frozenset")


def _defined(definition: Definition, place: Place) -> Kind | None:
    """Of what kind a name of a module is."""
    known: dict[Definition, Kind | None] = place.sources.kinds
    if definition not in known:
        known[definition] = None  # so that names in a circle come to an end
        known[definition] = _read_definition(definition, place)
    return known[definition]


def _read_definition(definition: Definition, place: Place) -> Kind | None:
    node = definition.node
    if isinstance(node, ast.ClassDef):
        return Kind("class", (Kind(f"{definition.module.name}.{definition.name}"),))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return FUNCTION
    known = read(definition.annotation, finder(definition.module), place.sources)
    if known is not None and known.name != "typing.Final":
        return known
    return kind_of(definition.value, place.at_top_of(definition.module))


def _attribute(node: ast.Attribute, place: Place) -> Kind | None:
    found = place.definition(node)
    if found:
        definition, rest = found
        kind = _defined(definition, place)
        if rest and kind and kind.name == "class":  # a member of an Enum, or a constant of a class
            return kind.of[0] if rest.isupper() else attribute(kind.of[0], rest, place.sources)
        for name in rest.split(".") if rest else ():
            kind = attribute(kind, name, place.sources)
        return kind
    return attribute(kind_of(node.value, place), node.attr, place.sources)


def _subscript(node: ast.Subscript, place: Place) -> Kind | None:
    kind = kind_of(node.value, place)
    if kind is None:
        return None
    if isinstance(node.slice, ast.Slice):
        return copied(kind)
    if kind.name in ("dict", "map"):
        return kind.of[1] if len(kind.of) == 2 else None
    if kind.name == "tuple" and isinstance(node.slice, ast.Constant):
        index = node.slice.value
        return kind.of[index] if isinstance(index, int) and index < len(kind.of) else None
    return element(kind) if kind.name in ("list", "tuple", "vector", "text", "bytes") else None


def _call(node: ast.Call, place: Place) -> Kind | None:
    path = place.path(node.func)
    if path is None:
        return _held(node.func, place) if isinstance(node.func, ast.Name) else _method(node, place)
    home, _, name = path.rpartition(".")
    if home == "builtins":
        return _built_in(name, node.args, place)
    found = place.sources.definition(path)
    if found is None:
        if path == "collections.defaultdict" and node.args:
            return Kind("dict", (None, _made_by(node.args[0], place)))
        if path in _LIKE_THEIR_ARGUMENT and node.args:
            return _copy_of(kind_of(node.args[0], place), path)
        if path.startswith(("pathlib.", "importlib.resources.")):
            return PATH
        return Kind(path) if name[:1].isupper() else None
    definition, rest = found
    if rest:
        return _method(node, place)
    if isinstance(definition.node, ast.ClassDef):
        return Kind(f"{definition.module.name}.{definition.name}")
    if isinstance(definition.node, ast.FunctionDef):
        return _returned(definition, definition.node, place)
    if isinstance(definition.value, ast.Lambda):
        return _given(definition.value, place.at_top_of(definition.module))
    return _made(_defined(definition, place))


def _copy_of(kind: Kind | None, path: str) -> Kind | None:
    if kind is None or not path.startswith("copy."):
        return kind  # the same lists are in it
    return copied_whole(kind) if path == "copy.deepcopy" else copied(kind)


def _held(func: ast.Name, place: Place) -> Kind | None:
    """What a call gives of something that a function holds: a function made in there, or a class."""
    scope = place.holder(func.id)
    function = scope.functions.get(func.id) if scope is not None else None
    if isinstance(function, ast.Lambda):
        return _given(function, place)
    if function is not None:
        return place.annotated(function.returns)
    return _made(kind_of(func, place))


def _made(kind: Kind | None) -> Kind | None:
    """What a call of a class makes."""
    return kind.of[0] if kind is not None and kind.name == "class" and kind.of else None


def _given(function: ast.Lambda, place: Place) -> Kind | None:
    known: dict[ast.Lambda, Kind | None] = place.sources.given
    if function not in known:
        known[function] = None  # it may call itself
        with place.scoped("function", function):
            for each in ast.walk(function.args):
                if isinstance(each, ast.arg):
                    place.bind(each.arg)
            known[function] = kind_of(function.body, place)
    return known[function]


def _returned(definition: Definition, node: ast.FunctionDef, place: Place) -> Kind | None:
    """What a function gives: as it is annotated, or a set, where a `return` of it makes one."""
    if node.returns is not None:
        return read(node.returns, finder(definition.module), place.sources)
    known: dict[Definition, Kind | None] = place.sources.returns
    if definition not in known:
        known[definition] = None  # it may call itself
        there = place.at_top_of(definition.module)
        made = (each.value for each in ast.walk(node) if isinstance(each, ast.Return))
        kinds = [kind_of(each, there) for each in made if isinstance(each, _MAKERS_OF_SETS)]
        known[definition] = next((kind for kind in kinds if kind and kind.name == "set"), None)
    return known[definition]


_MAKERS_OF_SETS: Final = (ast.Set, ast.SetComp, ast.Call, ast.BinOp)


def _made_by(maker: ast.expr, place: Place) -> Kind | None:
    """What `set` makes when it is called with nothing."""
    made = _made(kind_of(maker, place))
    if made is not None:
        return made
    name = (place.path(maker) or "").removeprefix("builtins.")
    return _built_in(name, [], place)


_LIKE_THEIR_ARGUMENT: Final = (
    "dataclasses.replace", "copy.copy", "copy.deepcopy", "copy.replace", "types.MappingProxyType",
)  # fmt: skip


def _method(node: ast.Call, place: Place) -> Kind | None:
    if not isinstance(node.func, ast.Attribute):
        return None
    kind = kind_of(node.func.value, place)
    if kind is not None and kind.name == "class" and kind.of:
        kind = kind.of[0]
    if kind is not None and (kind.name, node.func.attr, len(node.args)) == (
        "dict",
        "setdefault",
        2,
    ):
        return either(*kind.of[1:2], kind_of(node.args[1], place))
    return call_result(kind, node.func.attr, place.sources)


def _built_in(name: str, args: list[ast.expr], place: Place) -> Kind | None:
    first = kind_of(args[0], place) if args else None
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    if name == "object":
        return Kind("object")
    if name == "type":
        return Kind("class", (first,)) if len(args) == 1 else None
    if name in ("set", "frozenset"):
        return Kind("set", (element(first),))
    if name in ("list", "tuple", "sorted"):
        return Kind("list", (element(first),))
    if name in ("reversed", "iter", "filter"):
        return Kind("stream", (element(kind_of(args[-1], place) if args else None),))
    if name == "enumerate":
        return Kind("stream", (Kind("tuple", (NUMBER, element(first))),))
    if name == "zip":
        return Kind(
            "stream", (Kind("tuple", tuple(element(kind_of(each, place)) for each in args)),)
        )
    if name == "map":
        return Kind("stream", (_mapped(args, place),))
    if name in ("min", "max", "next"):
        return element(first) if len(args) == 1 or name == "next" else first
    return Kind("dict", (None, None)) if name == "dict" else None


def _mapped(args: list[ast.expr], place: Place) -> Kind | None:
    path = place.path(args[0]) if args else None
    known = _BUILT_IN.get((path or "").removeprefix("builtins."))
    return known or _made(kind_of(args[0], place) if args else None)


_BUILT_IN: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        **dict.fromkeys(("int", "len", "ord", "hash", "id"), NUMBER),
        **dict.fromkeys(("str", "chr", "bin", "hex", "oct", "format", "repr", "ascii"), TEXT),
        **dict.fromkeys(("bool", "isinstance", "issubclass", "any", "all", "callable"), TRUTH),
        **dict.fromkeys(("bytes", "bytearray"), BYTES),
        "float": FLOAT,
    }
)


def _binary(node: ast.BinOp, place: Place) -> Kind | None:
    left, right = kind_of(node.left, place), kind_of(node.right, place)
    if isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor | ast.Sub):
        for kind in (left, right):
            if kind is not None and kind.name in ("set", "keys", "items"):
                return Kind("set", kind.of)
    if isinstance(node.op, ast.Div):
        return PATH if PATH in (left, right) else FLOAT
    if isinstance(node.op, ast.Mod) and left == TEXT:
        return TEXT
    if left == right or (isinstance(node.op, ast.Mult) and left in (TEXT, BYTES)):
        return NUMBER if left == TRUTH else copied(left)
    return None


def _unary(node: ast.UnaryOp, place: Place) -> Kind | None:
    return TRUTH if isinstance(node.op, ast.Not) else kind_of(node.operand, place)


def _several(nodes: list[ast.expr], place: Place) -> Kind | None:
    return either(*(kind_of(node, place) for node in nodes[:8])) if nodes else None


def _sequence(node: ast.List | ast.Tuple, place: Place) -> Kind:
    if isinstance(node, ast.Tuple):
        return Kind("tuple", tuple(kind_of(each, place) for each in node.elts[:8]))
    return Kind("list", (_several(node.elts, place),))


def _set(node: ast.Set, place: Place) -> Kind:
    return Kind("set", (_several(node.elts, place),))


def _dict(node: ast.Dict, place: Place) -> Kind:
    return Kind("dict", (None, _several(node.values, place)))


def _comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp, place: Place) -> Kind:
    kind = place.inside(node, lambda: kind_of(node.elt, place))
    return Kind(_COMPREHENSIONS[type(node)], (kind,))


_COMPREHENSIONS: Final[Mapping[type[ast.expr], str]] = MappingProxyType(
    {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "stream"}
)


def _dict_comprehension(node: ast.DictComp, place: Place) -> Kind:
    key, value = place.inside(node, lambda: (kind_of(node.key, place), kind_of(node.value, place)))
    return Kind("dict", (key, value))


Infer = Callable[[Any, "Place"], Kind | None]

_BY_NODE: Final[Mapping[Any, Infer]] = MappingProxyType(
    {
        ast.Constant: _constant,
        ast.Name: _name,
        ast.Attribute: _attribute,
        ast.Subscript: _subscript,
        ast.Call: _call,
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.BoolOp: lambda node, place: _several(node.values, place),
        ast.IfExp: lambda node, place: _several([node.body, node.orelse], place),
        ast.NamedExpr: lambda node, place: kind_of(node.value, place),
        ast.Compare: lambda node, place: TRUTH,
        ast.JoinedStr: lambda node, place: TEXT,
        ast.List: _sequence,
        ast.Tuple: _sequence,
        ast.Set: _set,
        ast.Dict: _dict,
        ast.ListComp: _comprehension,
        ast.SetComp: _comprehension,
        ast.GeneratorExp: _comprehension,
        ast.DictComp: _dict_comprehension,
        ast.Lambda: lambda node, place: FUNCTION,
    }
)
