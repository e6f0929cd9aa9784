"""Static types: what is known of a value without running anything, such as that it is a set, a text or an instance of a class.

They are read off annotations, literals, and the return types of the package's functions and classes. An unknown type is
None, and most rules then report nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from chain.source.classes import CONTRACT_BASES, Class, class_of, is_enum, lineage
from chain.source.modules import Definition, Module, SourceTree


class StaticType(NamedTuple):
    """The word for a built-in type or the path of a class (`name`), and the types of what it holds (`of`)."""

    name: str
    of: tuple[StaticType | None, ...] = ()
    field: str = ""  # the contract's field that the value was read from; empty if it was not read from storage


TEXT: Final = StaticType("text")
NUMBER: Final = StaticType("number")
BYTES: Final = StaticType("bytes")
TRUTH: Final = StaticType("truth")
NONE: Final = StaticType("none")
FLOAT: Final = StaticType("float")
PATH: Final = StaticType("pathlib.Path")

_CLASSES: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(
            ("set", "frozenset", "Set", "AbstractSet", "FrozenSet", "MutableSet"), "set"
        ),
        **dict.fromkeys(
            ("list", "List", "Sequence", "MutableSequence", "Collection", "deque"), "list"
        ),
        **dict.fromkeys(("dict", "Dict", "Mapping", "MutableMapping", "MappingProxyType"), "dict"),
        **dict.fromkeys(("defaultdict", "OrderedDict", "Counter", "ChainMap"), "dict"),
        **dict.fromkeys(("Iterable", "Iterator", "Generator"), "stream"),
        **dict.fromkeys(("tuple", "Tuple"), "tuple"),
        **dict.fromkeys(("str", "LiteralString"), "text"),
        **dict.fromkeys(("bytes", "bytearray", "Address", "bytes4", "bytes32"), "bytes"),
        **dict.fromkeys(("type", "Type"), "class"),
        "int": "number",
        "bool": "truth",
        "float": "float",
    }
)
_HOMES: Final = frozenset(
    [
        "builtins",
        "typing",
        "typing_extensions",
        "collections",
        "collections.abc",
        "types",
        "chain",
        "chain.storage.collections",
        "chain.types",
    ]
)
# The collections in storage, and how they are read; one of another kind is read like any class.
STORAGE_COLLECTIONS: Final[Mapping[str, str | None]] = MappingProxyType(
    {"IterableMap": "map", "Map": "map", "Set": None, "Vector": "vector"}
)
_COLLECTIONS: Final = {
    f"{home}.{name}": word
    for home in ("chain", "chain.storage.collections")
    for name, word in STORAGE_COLLECTIONS.items()
}
_PARTED: Final = frozenset({"list", "tuple", "vector", "map"})  # types whose parts can be lists
_WRAPPERS: Final = frozenset(
    ["Final", "ClassVar", "Annotated", "Optional", "Key", "Required", "NotRequired", "ReadOnly"]
)

FindType = Callable[[ast.expr], str | None]


def read(node: ast.expr | None, find: FindType, sources: SourceTree) -> StaticType | None:
    """The static type that an annotation names; `find` resolves the names in it to dotted paths."""
    if isinstance(node, ast.Constant):
        return _read_constant(node, find, sources)
    if isinstance(node, ast.BinOp):
        return union(read(node.left, find, sources), read(node.right, find, sources))
    if isinstance(node, ast.Subscript):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return _named(find(node.value), tuple(inner), find, sources)
    if isinstance(node, ast.Name | ast.Attribute):
        return _named(find(node), (), find, sources)
    return None


def _read_constant(node: ast.Constant, find: FindType, sources: SourceTree) -> StaticType | None:
    if node.value is None:
        return NONE
    if isinstance(node.value, str):
        try:
            return read(ast.parse(node.value, mode="eval").body, find, sources)
        except SyntaxError:
            return None
    return None


def _named(
    path: str | None, inner: tuple[ast.expr, ...], find: FindType, sources: SourceTree
) -> StaticType | None:
    home, _, name = (path or "").rpartition(".")
    if home in _HOMES:
        if name in _WRAPPERS:
            return read(inner[0], find, sources) if inner else None
        if name == "Union":
            value_types = [read(annotation, find, sources) for annotation in inner]
            return union(*value_types)
        return _built_in(
            path or "", name, [read(annotation, find, sources) for annotation in inner], inner
        )
    resolved = sources.definition(path)
    if resolved is None:
        return StaticType(path) if path and name[:1].isupper() else None
    definition, rest = resolved
    if rest:
        return None
    if isinstance(definition.node, ast.ClassDef):
        return StaticType(f"{definition.module.name}.{definition.name}")
    if definition.value is not None and not inner:  # an alias: `Cell = tuple[int, int]`
        return _read_alias(definition, definition.value, sources)
    return None


def _read_alias(definition: Definition, value: ast.expr, sources: SourceTree) -> StaticType | None:
    """The static type that an alias stands for. A recursive alias, such as that of a tree, is unknown where it recurs."""
    cache: dict[Definition, StaticType | None] = sources.aliases
    if definition not in cache:
        cache[definition] = None
        cache[definition] = read(value, resolver(definition.module), sources)
    return cache[definition]


def _built_in(
    path: str, name: str, kinds: list[StaticType | None], inner: tuple[ast.expr, ...]
) -> StaticType | None:
    if path.startswith("chain.types.") and name[:1] in "uif" and name[-1:].isdigit():
        return NUMBER
    if path in _COLLECTIONS:
        how = _COLLECTIONS[path]
        return StaticType(path) if how is None else StaticType(how, tuple(kinds))
    if name in _CLASSES:
        word = _CLASSES[name]
        if word == "tuple" and len(inner) == 2 and _is_dots(inner[1]):
            return StaticType("list", (kinds[0],))
        return StaticType(word, tuple(kinds))
    return StaticType(path)


def _is_dots(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def union(*kinds: StaticType | None) -> StaticType | None:
    """The static type of a value that has one of these types."""
    value_types = [value_type for value_type in kinds if value_type != NONE]
    if any(value_type is None for value_type in value_types) or not value_types:
        return None
    if len({copied(value_type) for value_type in value_types}) == 1:
        return value_types[0] if len(set(value_types)) == 1 else copied(value_types[0])
    return None


def stored(kind: StaticType | None, field: str) -> StaticType | None:
    """The static type of a value that is read from the contract's field `field`, or from a part of it."""
    if kind is None or not field or not (kind.name in _PARTED or "." in kind.name):
        return kind
    return StaticType(kind.name, tuple(stored(item, field) for item in kind.of), field)


def copied(kind: StaticType | None) -> StaticType | None:
    """The static type of a shallow copy, whose items may still be stored values."""
    return kind._replace(field="") if kind is not None and kind.field else kind


def copied_whole(kind: StaticType | None) -> StaticType | None:
    """The static type of a deep copy, which holds no stored values."""
    return kind and StaticType(kind.name, tuple(map(copied_whole, kind.of)))


def resolver(module: Module) -> FindType:
    """A function that resolves expressions to dotted paths at the top level of a module."""

    def find(node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            return resolve_name(module, node.id)
        if isinstance(node, ast.Attribute):
            holder = find(node.value)
            return f"{holder}.{node.attr}" if holder else None
        return None

    return find


def resolve_name(module: Module, name: str) -> str:
    """The dotted path of a name at the top level of a module."""
    definition = module.names.get(name)
    if definition is None:
        return f"builtins.{name}"
    return definition.import_path or f"{definition.module.name}.{name}"


# Members of a static type


def class_named(kind: StaticType | None, sources: SourceTree) -> Class | None:
    """The package's class that a static type names, if it names one."""
    if kind is None:
        return None
    resolved = sources.definition(kind.name) if "." in kind.name else None
    if resolved is None or resolved[1] or not isinstance(resolved[0].node, ast.ClassDef):
        return None
    return class_of(resolved[0])


def attribute(kind: StaticType | None, name: str, sources: SourceTree) -> StaticType | None:
    """The static type of the attribute `name` of a value of this type."""
    if kind == PATH:
        return PATH if name == "parent" else TEXT if name in ("name", "stem", "suffix") else None
    cls = class_named(kind, sources)
    for base in lineage(cls, sources) if cls else ():
        find = resolver(base.definition.module)
        if name in base.fields:
            field, annotation = kind.field if kind else "", base.fields[name]
            if cls and not field and _is_stored(annotation, find, cls, sources):
                field = name
            return stored(read(annotation, find, sources), field)
        if name in base.methods:
            method = base.methods[name]
            is_property = any(ast.unparse(mark) == "property" for mark in method.decorator_list)
            return read(method.returns, find, sources) if is_property else None
    if cls and is_enum(cls, sources):
        return TEXT if name == "name" else None
    return None


def _is_stored(annotation: ast.expr, find: FindType, cls: Class, sources: SourceTree) -> bool:
    """True if an attribute with this annotation is a field of a contract, and not a constant."""
    outer = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    if (find(outer) or "").rpartition(".")[2] in ("ClassVar", "Final"):
        return False
    return any(
        resolver(ancestor.definition.module)(base) in CONTRACT_BASES
        for ancestor in lineage(cls, sources)
        for base in ancestor.node.bases
    )


def call_result(kind: StaticType | None, name: str, sources: SourceTree) -> StaticType | None:
    """The static type that the method `name` of a value of this type returns."""
    if kind is None:
        return None
    if (kind.name, name) in _RESULTS:
        return _RESULTS[kind.name, name]
    if kind.name in ("set", "keys", "items") and name in _SET_METHODS:
        return StaticType("set", kind.of)
    if (kind.name, name) == ("vector", "pop"):
        return item_type(kind)
    if kind.name == "dict":
        key, value = (*kind.of, None, None)[:2]
        results = {
            "keys": StaticType("keys", (key,)),
            "values": StaticType("list", (value,)),
            "copy": kind,
        }
        results["items"] = StaticType("items", (StaticType("tuple", (key, value)),))
        return value if name in ("get", "pop", "setdefault") else results.get(name)
    cls = class_named(kind, sources)
    for base in lineage(cls, sources) if cls else ():
        if name in base.methods:
            returned = read(base.methods[name].returns, resolver(base.definition.module), sources)
            return kind if returned == StaticType("typing.Self") else returned
    return None


_SET_METHODS: Final = frozenset(
    ["union", "intersection", "difference", "symmetric_difference", "copy"]
)
_RESULTS: Final[Mapping[tuple[str, str], StaticType]] = MappingProxyType(
    {
        **dict.fromkeys((("pathlib.Path", name) for name in ("joinpath", "relative_to")), PATH),
        **dict.fromkeys(
            (("pathlib.Path", name) for name in ("glob", "rglob", "iterdir")),
            StaticType("stream", (PATH,)),
        ),
    }
)


def item_type(kind: StaticType | None) -> StaticType | None:
    """The static type of the items that iterating over such a value yields."""
    if kind is None:
        return None
    if kind.name == "text":
        return TEXT
    if kind.name == "bytes":
        return NUMBER
    if kind.name in ("list", "set", "stream", "keys", "items", "dict", "vector"):
        return kind.of[0] if kind.of else None
    return union(*kind.of) if kind.name == "tuple" and kind.of else None
