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
    "'hash' gives another number for the same text in every run",
    "Python salts it",
    "compare the values themselves, or use self.keccak of their bytes",
)
IDENTITY: Final = Rule(
    "id",
    "'id' is an address in this machine's memory",
    "it is another one in every run",
    "compare with 'is' or '==', or number the things yourself",
)
OUTPUT: Final = Rule(
    "output",
    "'{name}' talks to whoever sits at this machine",
    "nobody else hears it",
    "use self.log(text), or emit an event",
)
DEBUG: Final = Rule(
    "debug",
    "'{name}' talks to whoever sits at this machine",
    "nobody else hears it",
    "use self.log(text), or emit an event, or look for a mistake on a Chain(debug=True) or under pytest --contract-debug",
)
FILE: Final = Rule(
    "open",
    "'open' opens a file",
    "what it says is not part of the chain",
    "take the text as an argument, or keep it in storage",
)
DYNAMIC: Final = Rule(
    "dynamic",
    "'{name}' runs text as a program",
    "nobody can check what that does",
    "write it out as a function",
)
BY_NAME: Final = Rule(
    "by_name",
    "'{name}' reaches an attribute by a name that is computed",
    "nobody can see here which one it is",
    "write x.name, or choose among values with a dict or a match statement",
)
NAMESPACE: Final = Rule(
    "namespace",
    "'{name}' hands out names as data",
    "what is among them is Python's affair and differs between its versions",
    "write the names that you mean",
)
WIDE: Final = Rule(
    "wide_error",
    "'{name}' is not an error that a contract should name",
    "it stands for what happens on one machine only, as running out of memory, or for being stopped",
    "use Revert, or an error that says what is wrong: ValueError, KeyError …",
)
NO_BUILTIN: Final = Rule(
    "no_builtin",
    "'{name}' is not on the list of what a contract may use of Python",
    "nobody has made sure that it does the same everywhere",
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
