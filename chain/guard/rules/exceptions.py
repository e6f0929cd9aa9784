"""Errors are caught by name, and never by a name that includes those that stop a machine: out of gas, memory or stack."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from chain.guard.finding import Rule
from chain.guard.inference import infer
from chain.guard.rules.data_files import is_while_importing
from chain.guard.scope import Scopes
from chain.source.classes import class_of, is_enum
from chain.source.static_types import NUMBER, TRUTH
from chain.source.word_sets import word_set

_STOP: Final = (
    "it would also catch the errors that stop only this machine: no stack, no memory, no gas"
)
_NAME: Final = "name the error that you expect: except Revert, except KeyError"

BARE: Final = Rule("bare_except", "an 'except' without a name", _STOP, _NAME)
BROAD: Final = Rule("broad_except", "'{name}' catches nearly everything", _STOP, _NAME)
SUPPRESS: Final = Rule(
    "suppress",
    "'{name}' suppresses nearly everything",
    _STOP,
    "name the error that you expect: suppress(KeyError)",
)
LEAVE: Final = Rule(
    "finally",
    "'{word}' in a 'finally' discards any error",
    "that includes running out of gas, where every machine must stop",
    "put it after the try statement",
)
ASSERT: Final = Rule(
    "assert",
    "Python skips 'assert' when it runs with -O",
    "such a machine would allow what others refuse",
    "write {remedy}",
)
ALWAYS: Final = Rule(
    "always_true",
    "'require' gets {what}, which is always true",
    "it lets everything pass",
    "write require(condition, text)",
)
GROUP: Final = Rule(
    "except_group",
    "'except*' handles several errors together",
    "a call ends with one error",
    "write 'except'",
)
ERROR_TEXT: Final = Rule(
    "error_words",
    "this uses the message of Python's own {name}",
    "it differs between versions of Python",
    "write a message of your own",
)

RULES: Final = (BARE, BROAD, SUPPRESS, LEAVE, ASSERT, ALWAYS, GROUP, ERROR_TEXT)

_BROAD: Final = word_set(
    "BaseException Exception MemoryError RecursionError RuntimeError SystemError GeneratorExit",
    "builtins.",
) | word_set("Halt OutOfGas", "chain.errors.")
_REQUIRE: Final = word_set("require", "chain.") | word_set("require", "chain.errors.")
# Errors with a message by Python. ValueError counts only where Python raises it, because authors raise it themselves.
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
    caught = list(_named(node.type, place))
    for path, type_node in caught:
        if path in _BROAD:
            place.suppressed.add(type_node)
            place.report(BROAD, type_node, name=path.rpartition(".")[2])
    python_errors = [path for path, _ in caught if path in _PYTHONS]
    if node.name and python_errors and not is_while_importing(place):
        for use in _is_shown(node, node.name):
            place.report(ERROR_TEXT, use, name=python_errors[0].rpartition(".")[2])


def _named(node: ast.expr, place: Scopes) -> Iterator[tuple[str, ast.expr]]:
    for element in node.elts if isinstance(node, ast.Tuple) else [node]:
        path, resolved = place.path(element), place.definition(element)
        value = resolved[0].value if resolved is not None and not resolved[1] else None
        if resolved is not None and isinstance(value, ast.Name | ast.Attribute | ast.Tuple):
            # It is an alias of one error or of several.
            module_scope = place.at_top_of(resolved[0].module)
            yield from ((element_path, element) for element_path, _ in _named(value, module_scope))
        elif path is not None:
            yield path, element


def _is_shown(handler: ast.ExceptHandler, name: str) -> Iterator[ast.Name]:
    """The uses of the caught error, other than raising it again and naming it as the cause."""
    reraised: list[ast.AST | None] = []
    for node in ast.walk(handler):
        if isinstance(node, ast.Raise):
            reraised += [node.exc, node.cause]
        if isinstance(node, ast.Name) and node.id == name and node not in reraised:
            yield node


def values(node: ast.Try, place: Scopes) -> None:
    """Report uses of the ValueError that Python itself raises in `int(text)` and `Color(code)`."""
    if is_while_importing(place) or not any(_raises(call, place) for call in _calls(node.body)):
        return
    for handler in node.handlers:
        caught = () if handler.type is None else _named(handler.type, place)
        if handler.name and any(path == "builtins.ValueError" for path, _ in caught):
            for use in _is_shown(handler, handler.name):
                place.report(ERROR_TEXT, use, name="ValueError")


def _calls(body: list[ast.stmt]) -> Iterator[ast.Call]:
    return (part for node in body for part in ast.walk(node) if isinstance(part, ast.Call))


def _raises(node: ast.Call, place: Scopes) -> bool:
    """True if this is a conversion in which Python itself raises a ValueError for a bad argument."""
    path = place.path(node.func)
    if path == "builtins.int":
        return bool(node.args) and infer(node.args[0], place) not in (NUMBER, TRUTH)
    if path == "builtins.bytes.fromhex":
        return True
    resolved = place.definition(node.func)
    if resolved is None or resolved[1] or not isinstance(resolved[0].node, ast.ClassDef):
        return False
    return is_enum(class_of(resolved[0]), place.sources)


def suppressions(node: ast.Call, place: Scopes) -> None:
    if place.path(node.func) == "contextlib.suppress":
        for argument in node.args:
            path = place.path(argument)
            if path in _BROAD:
                place.report(SUPPRESS, argument, name=str(path).rpartition(".")[2])


def leaving(node: ast.Try, place: Scopes) -> None:
    for statement in node.finalbody:
        for word, exit_node in _leaves(statement, in_loop=False):
            place.report(LEAVE, exit_node, word=word)


def _leaves(node: ast.AST, *, in_loop: bool) -> Iterator[tuple[str, ast.AST]]:
    """The statements that leave a `finally` block early; leaving a loop inside it is fine."""
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
    """The alternative to an `assert`. Type checkers narrow a type by an `if`, but not by a call of `require`."""
    match test:
        case ast.Compare(left, [ast.IsNot()], [ast.Constant(None)]):
            return f"if {ast.unparse(left)} is None: raise Revert(text)"
        case ast.Call(ast.Name("isinstance")):
            return f"if not {ast.unparse(test)}: raise Revert(text)"
    return "require(condition, text)"


def requirements(node: ast.Call, place: Scopes) -> None:
    if node.args and place.path(node.func) in _REQUIRE:
        description = _always_true(node.args[0], place)
        if description:
            place.report(ALWAYS, node, what=description)


def _always_true(node: ast.expr, place: Scopes) -> str:
    """A description of a condition that cannot be false; empty if it can be."""
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
    resolved = place.definition(node)
    if resolved is None or resolved[1] or not isinstance(resolved[0].node, ast.FunctionDef):
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
