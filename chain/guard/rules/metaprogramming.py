"""No metaprogramming: a class is what its body says, an attribute is what was set, only `__init__` sets up an instance."""

from __future__ import annotations

import ast
from typing import Final

from chain.guard.allowlist import LIBRARY, METHODS, SETTINGS
from chain.guard.finding import Rule
from chain.guard.inference import infer
from chain.guard.scope import Scopes
from chain.source.classes import is_super
from chain.source.word_sets import word_set

METHOD: Final = Rule(
    "magic_method",
    "'{name}' changes {what}",
    "the source then no longer shows what a line does",
    "write a method with a name of its own, and call it",
)
ATTRIBUTE: Final = Rule(
    "magic_attribute",
    "'.{name}' bypasses the class",
    "it is internal to Python and differs between its versions",
    "use the members that the class defines, and super() for the methods of its parent",
)
METACLASS: Final = Rule(
    "metaclass",
    "{name}={value} lets another class change this one",
    "the source then no longer shows what a line does",
    "write the class out, or a function for the parts that differ",
)
DYNAMIC_CLASS: Final = Rule(
    "made_class",
    "'type' with three arguments creates a class",
    "the source does not show its content",
    "write a class statement",
)
EXIT_RETURNS: Final = Rule(
    "exit_value",
    "'__exit__' returns something, so it may suppress any error",
    "that includes running out of gas, where every machine must stop",
    "return None, and catch the errors that you expect with try and except",
)
FRAME_ACCESS: Final = Rule(
    "behind",
    "'.{name}' is internal to the chain",
    "what a contract does with it may cost no gas and may not be undone",
    "use the members of self: self.caller, self.block, self.emit, self.at, self.random",
)
OWN_FILE: Final = Rule(
    "own_file",
    "'__file__' is the path of the package on this machine",
    "it differs on other machines",
    f"read the package's data in its module '{LIBRARY}', while it is imported",
)

RULES: Final = (METHOD, ATTRIBUTE, METACLASS, DYNAMIC_CLASS, EXIT_RETURNS, FRAME_ACCESS, OWN_FILE)

_MACHINE: Final = word_set("_frame")
# The tables in which an Enum keeps its members. It also caches lookups in them.
_TABLES: Final = word_set(
    "_member_map_ _member_names_ _value2member_map_ _hashable_values_ _unhashable_values_ _unhashable_values_map_"
)
# Python's views of running code: they show addresses, and lead to everything in the process.
_RUNNING: Final = word_set(
    "gi_frame gi_code gi_yieldfrom gi_running gi_suspended tb_frame tb_next tb_lasti tb_lineno"
    " f_back f_builtins f_code f_globals f_lasti f_lineno f_locals"
)
_ATTRIBUTE: Final = "what an attribute means"
_OTHERS: Final = "the attributes of another class"
_MAKING: Final = "how a class or an instance is created"
_KIND: Final = "which class an instance belongs to"
_WHOLE: Final = "a value into a number that is not whole"
_TURNS: Final = "the order of execution"
_CHANGED: Final = {
    **dict.fromkeys(
        word_set("__getattr__ __getattribute__ __setattr__ __delattr__ __dir__"), _ATTRIBUTE
    ),
    **dict.fromkeys(word_set("__get__ __set__ __delete__ __set_name__"), _OTHERS),
    **dict.fromkeys(word_set("__new__ __init_subclass__ __class_getitem__ __prepare__"), _MAKING),
    **dict.fromkeys(word_set("__instancecheck__ __subclasscheck__ __subclasshook__"), _KIND),
    **dict.fromkeys(word_set("__truediv__ __rtruediv__ __itruediv__"), "what '/' means"),
    **dict.fromkeys(word_set("__float__ __complex__ __round__ __floor__ __ceil__"), _WHOLE),
    **dict.fromkeys(word_set("__aiter__ __anext__ __aenter__ __aexit__ __await__"), _TURNS),
    "__del__": "what happens when Python deletes an instance, at a time that no rule fixes",
}


def functions(node: ast.FunctionDef | ast.AsyncFunctionDef, place: Scopes) -> None:
    name = node.name
    if _is_magic(name) and (name not in METHODS or place.scope.what != "class"):
        place.report(
            METHOD, node, name=name, what=_CHANGED.get(name, "what Python does with an instance")
        )
    if name == "__exit__":
        for part in ast.walk(node):
            if isinstance(part, ast.Return) and not _is_nothing(part.value):
                place.report(EXIT_RETURNS, part)


def _is_nothing(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and not value.value)


def _is_magic(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and len(name) > 4


def settings(node: ast.Assign, place: Scopes) -> None:
    """`__getattr__ = …` in a class or a module."""
    for target in node.targets:
        name = target.id if isinstance(target, ast.Name) else ""
        is_method = name in METHODS and place.scope.what == "class"
        if _is_magic(name) and name not in SETTINGS and not is_method:
            place.report(
                METHOD, target, name=name, what=_CHANGED.get(name, "what Python does with it")
            )


def attributes(node: ast.Attribute, place: Scopes) -> None:
    name = node.attr
    if name in _MACHINE and isinstance(node.value, ast.Name) and node.value.id == "self":
        place.report(FRAME_ACCESS, node, name=name)
    if not (_is_magic(name) or name in _TABLES | _RUNNING) or (
        name in METHODS and is_super(node.value)
    ):
        return
    value_type = infer(node.value, place) if name == "__name__" else None
    if value_type is None or value_type.name != "class":
        place.report(ATTRIBUTE, node, name=name)


def classes(node: ast.ClassDef, place: Scopes) -> None:
    for keyword in node.keywords:
        if keyword.arg == "metaclass" or not _is_known(keyword.arg):
            place.report(
                METACLASS, keyword.value, name=keyword.arg or "**", value=ast.unparse(keyword.value)
            )


def _is_known(name: str | None) -> bool:
    return name in ("total", "boundary")  # of a TypedDict, of a Flag


def calls(node: ast.Call, place: Scopes) -> None:
    if place.path(node.func) == "builtins.type" and (len(node.args) > 1 or node.keywords):
        place.report(DYNAMIC_CLASS, node)


def names(node: ast.Name, place: Scopes) -> None:
    if node.id == "__file__" and place.module.last_name != LIBRARY:
        place.report(OWN_FILE, node)


CHECKS: Final = {
    ast.FunctionDef: (functions,),
    ast.AsyncFunctionDef: (functions,),
    ast.Assign: (settings,),
    ast.Attribute: (attributes,),
    ast.ClassDef: (classes,),
    ast.Call: (calls,),
    ast.Name: (names,),
}
