"""A check that a class or function is the one that its file defines now.

A file may have been edited since it was imported, or hold two classes of one name. Then the name alone leads to other code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType

from chain.source.compiled_code import codes_in
from chain.source.modules import Module

_REWRITTEN = "@pytest_ar"  # set by pytest in modules whose `assert` statements it has rewritten


def class_node(cls: type, module: Module) -> ast.ClassDef | None:
    """The statement that defines a class, at the top level or in another class; None if there is none, or several match."""
    candidates = list(_nodes(module.tree.body, cls.__qualname__.split(".")))
    source = getattr(vars(cls).get("__spec__"), "source", None)
    if len(candidates) > 1 and source is not None:
        candidates = [
            node for node in candidates if first_line(node) <= source.line <= (node.end_lineno or 0)
        ]
    matches = [node for node in candidates if is_as_written(cls, module, node)]
    return matches[0] if len(matches) == 1 else None


def _nodes(body: list[ast.stmt], names: list[str]) -> Iterator[ast.ClassDef]:
    """The class statements below `body` that the path `names` leads to."""
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name == names[0]:
            if names[1:]:
                yield from _nodes(node.body, names[1:])
            else:
                yield node
        elif isinstance(node, ast.If | ast.Try):
            inner = [*node.body, *node.orelse, *getattr(node, "finalbody", ())]
            handled = [
                statement for handler in getattr(node, "handlers", ()) for statement in handler.body
            ]
            yield from _nodes([*inner, *handled], names)


def first_line(node: ast.ClassDef | ast.FunctionDef) -> int:
    """The first line of a definition, decorators included."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def is_as_written(cls: type, module: Module, node: ast.ClassDef) -> bool:
    """True if the methods of a class are compiled from the text of this statement."""
    functions = [function for function in vars(cls).values() if isinstance(function, FunctionType)]
    own = [
        function
        for function in functions
        if function.__code__.co_qualname.startswith(f"{cls.__qualname__}.")
    ]
    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    codes = [code for code in codes_of(module) if code.co_firstlineno in lines]
    return all(
        function.__code__.co_filename != module.file or is_code_of(function, codes)
        for function in own
    )


def is_code_of(function: FunctionType, codes: list[CodeType]) -> bool:
    """True if a function was made from one of these code objects."""
    if _REWRITTEN in function.__globals__:
        line = function.__code__.co_firstlineno
        return any(
            code.co_firstlineno == line and code.co_name == function.__code__.co_name
            for code in codes
        )
    text = text_of_code(function.__code__)
    return any(
        text_of_code(code) == text for code in codes if code.co_name == function.__code__.co_name
    )


@lru_cache(maxsize=64)
def codes_of(module: Module) -> list[CodeType]:
    """The code objects of all functions and classes in the module."""
    return list(codes_in(compile(module.text, module.file, "exec", dont_inherit=True)))


def text_of_code(code: CodeType) -> str:
    """A text that describes what a code object does, independent of its line numbers."""
    constants = [_text_of_constant(constant) for constant in code.co_consts]
    names = code.co_names, code.co_varnames, code.co_freevars
    return f"{code.co_name} {code.co_code.hex()} {names} {constants}"


def _text_of_constant(value: object) -> str:
    if isinstance(value, CodeType):
        return text_of_code(value)
    if isinstance(value, frozenset):  # its order differs from run to run
        return f"frozenset {sorted(map(_text_of_constant, value))}"
    return f"{type(value).__name__} {value!a}"
