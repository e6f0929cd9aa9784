"""The mypy plugin: the entries of a handle have the types of their methods.

    [tool.mypy]
    plugins = ["chain.plugins.mypy_plugin"]

Then `chain.deploy(Race).roll(3, sender=alice)` is a `Receipt`, a view has the type that it returns, and an argument that does
not fit or a misspelled entry is an error. Python's annotations alone cannot say this: a `ParamSpec` takes no further keywords,
such as `sender`, and no type has "the methods of another class". Without the plugin, and in Pyright, entries are `Any`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from mypy.errorcodes import ATTR_DEFINED
from mypy.nodes import (
    ARG_NAMED_OPT,
    CallExpr,
    Decorator,
    Expression,
    MemberExpr,
    NameExpr,
    StrExpr,
    TypeInfo,
)
from mypy.plugin import AttributeContext, ClassDefContext, Plugin
from mypy.types import (
    AnyType,
    CallableType,
    Instance,
    NoneType,
    Type,
    TypeOfAny,
    UnionType,
    get_proper_type,
)

_KEY: Final = "boardchain"  # the key of the stored data about a class
_HANDLE: Final = "chain.simulator.handle.Handle"
_CONTRACT: Final = "chain.runtime.contract.Contract"
_ADDRESS: Final = "chain.crypto.address.Address"
_SYSTEM: Final = "chain.runtime.system.System"
_KINDS: Final = {f"chain.spec.decorators.{kind}": kind for kind in ("init", "call", "view")}


class HandlePlugin(Plugin):
    """Records the entries of contract classes, and adds them to handles."""

    def get_customize_class_mro_hook(
        self, fullname: str
    ) -> Callable[[ClassDefContext], None] | None:
        return _note_entries

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        owner, _, name = fullname.rpartition(".")
        return partial(_type_of_entry, name) if owner == _HANDLE else None


def plugin(version: str) -> type[Plugin]:
    """Return the plugin, for mypy."""
    return HandlePlugin


def _note_entries(ctx: ClassDefContext) -> None:
    """Store the entries of a contract class with it: method, kind, name in the ABI."""
    info = ctx.cls.info
    if info.has_base(_CONTRACT):
        methods = (node for node in ctx.cls.defs.body if isinstance(node, Decorator))
        info.metadata[_KEY] = {
            method.func.name: [kind, name]
            for method in methods
            for kind, name in _markers(ctx, method)
        }


def _markers(ctx: ClassDefContext, method: Decorator) -> Iterator[tuple[str, str]]:
    """Yield the kind of an entry and its name in the ABI."""
    for decorator in method.original_decorators:
        options = decorator if isinstance(decorator, CallExpr) else None
        marker = decorator if options is None else options.callee
        path = _path(marker)
        symbol = ctx.api.lookup_qualified(path, marker, suppress_errors=True) if path else None
        kind = _KINDS.get(symbol.fullname or "") if symbol is not None else None
        if kind is not None:
            yield kind, _given_name(options) or method.func.name


def _path(expression: Expression) -> str:
    """Return a dotted name as it is written, or an empty text for any other expression."""
    if isinstance(expression, NameExpr):
        return expression.name
    if isinstance(expression, MemberExpr):
        before = _path(expression.expr)
        return f"{before}.{expression.name}" if before else ""
    return ""


def _given_name(options: CallExpr | None) -> str | None:
    """Return the text of `name=` among the options of a decorator."""
    for name, value in zip(options.arg_names, options.args, strict=True) if options else ():
        if name == "name" and isinstance(value, StrExpr):
            return value.value
    return None


def _type_of_entry(name: str, ctx: AttributeContext) -> Type:
    """Return the type of the attribute `name` of a handle."""
    handle = get_proper_type(ctx.type)
    if not isinstance(handle, Instance) or handle.type.get(name) is not None:
        return ctx.default_attr_type
    contract = get_proper_type(handle.args[0]) if handle.args else None
    if not isinstance(contract, Instance) or contract.type.fullname in (_CONTRACT, _SYSTEM):
        return ctx.default_attr_type  # a handle of any contract
    if contract.type.fallback_to_any:
        return ctx.default_attr_type
    found = [*_entries(contract.type, name)]
    if not found and name == "balance":
        return ctx.api.named_generic_type("builtins.int", [])
    if not found:
        text = f'"{contract.type.name}" has no entry "{name}"'
        ctx.api.fail(text, ctx.context, code=ATTR_DEFINED)
        return AnyType(TypeOfAny.from_error)
    return _bound(ctx, handle.type, *found[0]) if len(found) == 1 else ctx.default_attr_type


def _entries(contract: TypeInfo, name: str) -> Iterator[tuple[str, CallableType]]:
    """Yield the entries with this method name or name in the ABI: kind and type of the method."""
    kinds = {"call", "view", "init"} if contract.has_base(_SYSTEM) else {"call", "view"}
    seen: set[str] = set()
    for parent in contract.mro:
        for method, (kind, abi_name) in parent.metadata.get(_KEY, {}).items():
            symbol = parent.names.get(method)
            if method in seen or kind not in kinds or symbol is None:
                continue
            seen.add(method)
            node = symbol.node
            function = node.func.type if isinstance(node, Decorator) else None
            if name in (method, abi_name) and isinstance(function, CallableType):
                yield kind, function


def _bound(ctx: AttributeContext, handle: TypeInfo, kind: str, method: CallableType) -> Type:
    """Return the type of a method as an entry: without `self`, and with the options of a call."""
    entry, receipt = _result_of(handle, "__getitem__"), _result_of(handle, "deployment")
    options = [
        opt for opt in _type_of(entry.type, "__call__").formal_arguments() if opt.pos is None
    ]
    account = _without_none(next(option.typ for option in options if option.name == "sender"))
    types = [_from_outside(argument, account, ctx) for argument in method.arg_types[1:]]
    kinds, names = method.arg_kinds[1:], method.arg_names[1:]
    for option in options:
        if option.name not in names:
            types, kinds = [*types, option.typ], [*kinds, ARG_NAMED_OPT]
            names = [*names, option.name]
    result = method.ret_type if kind == "view" else receipt
    return method.copy_modified(types, kinds, names, ret_type=result, fallback=entry)


def _from_outside(argument: Type, account: Type, ctx: AttributeContext) -> Type:
    """Return the type that an argument may have outside of contracts: any sequence for a list, any account for an Address."""
    kind = get_proper_type(argument)
    if isinstance(kind, UnionType):
        return UnionType.make_union([_from_outside(item, account, ctx) for item in kind.items])
    if isinstance(kind, Instance) and kind.type.fullname == _ADDRESS:
        return account
    if isinstance(kind, Instance) and kind.type.fullname == "builtins.list":
        items = [_from_outside(item, account, ctx) for item in kind.args]
        return ctx.api.named_generic_type("typing.Sequence", items)
    return argument


def _without_none(optional: Type) -> Type:
    kind = get_proper_type(optional)
    items = kind.items if isinstance(kind, UnionType) else [kind]
    return UnionType.make_union(
        [item for item in items if not isinstance(get_proper_type(item), NoneType)]
    )


def _result_of(owner: TypeInfo, method: str) -> Instance:
    """Return the type that a method or property of a class returns, which is a class."""
    result = get_proper_type(_type_of(owner, method).ret_type)
    assert isinstance(result, Instance)
    return result


def _type_of(owner: TypeInfo, method: str) -> CallableType:
    node = owner.names[method].node
    kind = node.func.type if isinstance(node, Decorator) else getattr(node, "type", None)
    assert isinstance(kind, CallableType)
    return kind
