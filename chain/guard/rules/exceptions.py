"""Errors: caught by name, and by none of the names behind which a machine stops: no gas, no memory, no stack."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from chain.guard.finding import Rule
from chain.guard.rules.data_files import is_while_importing
from chain.guard.scope import Scopes
from chain.source.classes import (
    class_of,
    is_enum,
)
from chain.source.static_types import (
    NUMBER,
    TRUTH,
)
from chain.source.word_sets import word_set

_STOP: Final = "it would also catch what stops this machine alone: no stack, no memory, no gas"
_NAME: Final = "name the error that you expect: except Revert, except KeyError"

BARE: Final = Rule("bare_except", "an 'except' without a name", _STOP, _NAME)
BROAD: Final = Rule("broad_except", "'{name}' catches nearly everything", _STOP, _NAME)
SUPPRESS: Final = Rule(
    "suppress",
    "'{name}' lets nearly everything go by",
    _STOP,
    "name the error that you expect: suppress(KeyError)",
)
LEAVE: Final = Rule(
    "finally",
    "'{word}' in a 'finally' makes any error vanish",
    "among them is the end of the gas, at which every machine must stop",
    "put it behind the try statement",
)
ASSERT: Final = Rule(
    "assert",
    "'assert' is left out when Python runs with -O",
    "a machine that does so would allow what others refuse",
    "write {remedy}",
)
ALWAYS: Final = Rule(
    "always_true",
    "'require' is given {what}, which is always true",
    "it lets everything pass",
    "write require(condition, text)",
)
GROUP: Final = Rule(
    "except_group",
    "'except*' takes apart several errors at once",
    "a call ends with one",
    "write 'except'",
)
WORDS: Final = Rule(
    "error_words",
    "the words of Python's own {name} are used",
    "they change from version to version of Python, and so do the numbers with them",
    "say in your own words what is wrong",
)

RULES: Final = (BARE, BROAD, SUPPRESS, LEAVE, ASSERT, ALWAYS, GROUP, WORDS)

_BROAD: Final = word_set(
    "BaseException Exception MemoryError RecursionError RuntimeError SystemError GeneratorExit",
    "builtins.",
) | word_set("Halt OutOfGas", "chain.errors.")
_REQUIRE: Final = word_set("require", "chain.") | word_set("require", "chain.errors.")
# Errors that Python raises in its own words. ValueError is one only where Python raises it: authors do so themselves.
_PYTHONS: Final = word_set(
    """
    ArithmeticError AttributeError IndexError KeyError LookupError OverflowError StopIteration TypeError UnicodeError
    UnicodeDecodeError UnicodeEncodeError ZeroDivisionError
    """,
    "builtins.",
) | word_set("json.JSONDecodeError re.error re.PatternError")


def handlers(node: ast.ExceptHandler, place: Scopes) -> None:
    if node.type is None:
        place.report(BARE, node)
        return
    named = list(_named(node.type, place))
    for path, at in named:
        if path in _BROAD:
            place.suppressed.add(at)
            place.report(BROAD, at, name=path.rpartition(".")[2])
    pythons = [path for path, _ in named if path in _PYTHONS]
    if node.name and pythons and not is_while_importing(place):
        for shown in _shown(node, node.name):
            place.report(WORDS, shown, name=pythons[0].rpartition(".")[2])


def _named(node: ast.expr, place: Scopes) -> Iterator[tuple[str, ast.expr]]:
    for each in node.elts if isinstance(node, ast.Tuple) else [node]:
        path, ours = place.path(each), place.definition(each)
        value = ours[0].value if ours is not None and not ours[1] else None
        if ours is not None and isinstance(value, ast.Name | ast.Attribute | ast.Tuple):
            there = place.at_top_of(ours[0].module)  # it is another name for one, or for several
            yield from ((found, each) for found, _ in _named(value, there))
        elif path is not None:
            yield path, each


def _shown(handler: ast.ExceptHandler, name: str) -> Iterator[ast.Name]:
    """Where the caught error is used, but for raising it again and for saying that it was the cause."""
    again: list[ast.AST | None] = []
    for node in ast.walk(handler):
        if isinstance(node, ast.Raise):
            again += [node.exc, node.cause]
        if isinstance(node, ast.Name) and node.id == name and node not in again:
            yield node


def values(node: ast.Try, place: Scopes) -> None:
    """`int(text)` and `Color(code)` raise a ValueError in the words of Python, too."""
    if is_while_importing(place) or not any(_raises(each, place) for each in _calls(node.body)):
        return
    for handler in node.handlers:
        named = () if handler.type is None else _named(handler.type, place)
        if handler.name and any(path == "builtins.ValueError" for path, _ in named):
            for shown in _shown(handler, handler.name):
                place.report(WORDS, shown, name="ValueError")


def _calls(body: list[ast.stmt]) -> Iterator[ast.Call]:
    return (each for node in body for each in ast.walk(node) if isinstance(each, ast.Call))


def _raises(node: ast.Call, place: Scopes) -> bool:
    """Whether Python makes a value of what may be none, by itself."""
    path = place.path(node.func)
    if path == "builtins.int":
        return bool(node.args) and place.kind(node.args[0]) not in (NUMBER, TRUTH)
    if path == "builtins.bytes.fromhex":
        return True
    found = place.definition(node.func)
    if found is None or found[1] or not isinstance(found[0].node, ast.ClassDef):
        return False
    return is_enum(class_of(found[0]), place.sources)


def suppressions(node: ast.Call, place: Scopes) -> None:
    if place.path(node.func) == "contextlib.suppress":
        for each in node.args:
            path = place.path(each)
            if path in _BROAD:
                place.report(SUPPRESS, each, name=str(path).rpartition(".")[2])


def leaving(node: ast.Try, place: Scopes) -> None:
    for each in node.finalbody:
        for word, at in _leaves(each, in_loop=False):
            place.report(LEAVE, at, word=word)


def _leaves(node: ast.AST, *, in_loop: bool) -> Iterator[tuple[str, ast.AST]]:
    """The statements that end a `finally` before its time; a loop inside of it may be left."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        return
    if isinstance(node, ast.Return):
        yield "return", node
    elif isinstance(node, ast.Break | ast.Continue) and not in_loop:
        yield type(node).__name__.lower(), node
    is_loop = in_loop or isinstance(node, ast.For | ast.While)
    for child in ast.iter_child_nodes(node):
        yield from _leaves(child, in_loop=is_loop)


def asserts(node: ast.Assert, place: Scopes) -> None:
    place.report(ASSERT, node, remedy=_remedy(node.test))


def _remedy(test: ast.expr) -> str:
    """What to write instead. Type checkers learn a type from an 'if', and nothing from a call."""
    match test:
        case ast.Compare(left, [ast.IsNot()], [ast.Constant(None)]):
            return f"if {ast.unparse(left)} is None: raise Revert(text)"
        case ast.Call(ast.Name("isinstance")):
            return f"if not {ast.unparse(test)}: raise Revert(text)"
    return "require(condition, text)"


def requirements(node: ast.Call, place: Scopes) -> None:
    if node.args and place.path(node.func) in _REQUIRE:
        what = _always_true(node.args[0], place)
        if what:
            place.report(ALWAYS, node, what=what)


def _always_true(node: ast.expr, place: Scopes) -> str:
    """What a condition is that cannot be false; empty where it can."""
    match node:
        case ast.Constant(value) if value and value is not True:
            return "a text" if isinstance(value, str) else "a constant"
        case ast.Tuple([_, *_]):
            return "a tuple"
        case ast.List([_, *_]) | ast.Set() | ast.Dict([_, *_]):
            return "a collection that is not empty"
        case ast.Lambda():
            return "a function that is not called"
        case ast.GeneratorExp():
            return "a generator"
    found = place.definition(node)
    if found is None or found[1] or not isinstance(found[0].node, ast.FunctionDef):
        return ""
    return "a function that is not called"


def groups(node: ast.TryStar, place: Scopes) -> None:
    place.report(GROUP, node)


CHECKS: Final = {
    ast.ExceptHandler: (handlers,),
    ast.Call: (suppressions, requirements),
    ast.Try: (leaving, values),
    ast.Assert: (asserts,),
    ast.TryStar: (groups,),
}
