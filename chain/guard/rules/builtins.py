"""Python's built-in names: those on the allowlist, and the reasons why the others are refused."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chain.guard.allowlist import BUILTINS
from chain.guard.finding import Rule
from chain.guard.rules.floats import COMPLEX, FLOAT_TYPE
from chain.guard.rules.imports import OUTSIDE, REFLECTION
from chain.guard.scope import Scopes

HASH: Final = Rule(
    "hash",
    "'hash' returns a different number for the same text in every run",
    "Python salts it",
    "compare the values themselves, or use self.keccak of their bytes",
)
IDENTITY: Final = Rule(
    "id",
    "'id' is an address in this machine's memory",
    "it is different in every run",
    "compare with 'is' or '==', or number the objects yourself",
)
OUTPUT: Final = Rule(
    "output",
    "'{name}' works only on this machine, for a person at its terminal",
    "it is not part of the chain",
    "use self.log(text), or emit an event",
)
DEBUG: Final = Rule(
    "debug",
    "'{name}' works only on this machine, for a person at its terminal",
    "it is not part of the chain",
    "use self.log(text), or emit an event, or debug on a Chain(debug=True) or with pytest --contract-debug",
)
FILE: Final = Rule(
    "open",
    "'open' opens a file",
    "the content of a file is not part of the chain",
    "take the text as an argument, or keep it in storage",
)
DYNAMIC: Final = Rule(
    "dynamic",
    "'{name}' runs text as code",
    "such code cannot be checked",
    "write it out as a function",
)
BY_NAME: Final = Rule(
    "by_name",
    "'{name}' accesses an attribute by a computed name",
    "the source does not show which attribute it is",
    "write x.name, or choose among values with a dict or a match statement",
)
NAMESPACE: Final = Rule(
    "namespace",
    "'{name}' returns names as data",
    "these names are internals of Python and differ between its versions",
    "write the names that you need",
)
WIDE: Final = Rule(
    "wide_error",
    "'{name}' is not an error that a contract should name",
    "it is for conditions of one machine, such as a lack of memory, or for being stopped",
    "use Revert, or a specific error: ValueError, KeyError …",
)
NO_BUILTIN: Final = Rule(
    "no_builtin",
    "'{name}' is not on the list of builtins that a contract may use",
    "it may behave differently elsewhere",
    "do without it",
)

RULES: Final = (HASH, IDENTITY, OUTPUT, DEBUG, FILE, DYNAMIC, BY_NAME, NAMESPACE, WIDE, NO_BUILTIN)

REFUSED: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "hash": HASH,
        "id": IDENTITY,
        **dict.fromkeys(("input", "help", "exit", "quit"), OUTPUT),
        **dict.fromkeys(("print", "breakpoint"), DEBUG),
        "open": FILE,
        **dict.fromkeys(("eval", "exec", "compile"), DYNAMIC),
        **dict.fromkeys(("getattr", "setattr", "delattr", "hasattr"), BY_NAME),
        **dict.fromkeys(("globals", "locals", "vars", "dir"), NAMESPACE),
        **dict.fromkeys(("__import__", "__loader__", "__spec__", "__builtins__"), REFLECTION),
        **dict.fromkeys(("__build_class__", "__debug__", "__path__"), REFLECTION),
        "float": FLOAT_TYPE,
        "complex": COMPLEX,
        **dict.fromkeys(("copyright", "credits", "license"), OUTSIDE),
    }
)


def names(node: ast.Name, place: Scopes) -> None:
    name = node.id
    if name in BUILTINS or not isinstance(node.ctx, ast.Load):
        return
    if place.path(node) != f"builtins.{name}" or (name == "hash" and _defines_hash(place)):
        return
    if node in place.suppressed:
        return
    if name in REFUSED:
        place.report(REFUSED[name], node, name=name, text=f"'{name}'")
    elif name.endswith(("Error", "Exception", "Warning", "Exit", "Interrupt", "ExceptionGroup")):
        place.report(WIDE, node, name=name)
    else:
        place.report(NO_BUILTIN, node, name=name)


def _defines_hash(place: Scopes) -> bool:
    """True inside `__hash__`, where `hash` is harmless: sets and dicts do not show the hashes of their items."""
    return isinstance(place.function, ast.FunctionDef) and place.function.name == "__hash__"


CHECKS: Final = {ast.Name: (names,)}
