"""Whether a class or function is the one that its file tells of now.

A file may have been edited since it was imported, or hold two classes of one name; then a name alone leads to other code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType

from chain.source.modules import Module

_REWRITTEN = "@pytest_ar"  # pytest has put other code in the place of each `assert` of this module


def class_node(cls: type, module: Module) -> ast.ClassDef | None:
    """The statement of a module that made a class, at its top or in another class; None if none did, or several may have."""
    found = list(_nodes(module.tree.body, cls.__qualname__.split(".")))
    source = getattr(vars(cls).get("__spec__"), "source", None)
    if len(found) > 1 and source is not None:
        found = [
            node for node in found if first_line(node) <= source.line <= (node.end_lineno or 0)
        ]
    fitting = [node for node in found if is_as_written(cls, module, node)]
    return fitting[0] if len(fitting) == 1 else None


def _nodes(body: list[ast.stmt], names: list[str]) -> Iterator[ast.ClassDef]:
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name == names[0]:
            if names[1:]:
                yield from _nodes(node.body, names[1:])
            else:
                yield node
        elif isinstance(node, ast.If | ast.Try):
            inner = [*node.body, *node.orelse, *getattr(node, "finalbody", ())]
            handled = [each for handler in getattr(node, "handlers", ()) for each in handler.body]
            yield from _nodes([*inner, *handled], names)


def first_line(node: ast.ClassDef | ast.FunctionDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def is_as_written(cls: type, module: Module, node: ast.ClassDef) -> bool:
    """Whether the methods of a class are what its statement says."""
    functions = [each for each in vars(cls).values() if isinstance(each, FunctionType)]
    own = [
        each for each in functions if each.__code__.co_qualname.startswith(f"{cls.__qualname__}.")
    ]
    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    codes = [code for code in codes_of(module) if code.co_firstlineno in lines]
    return all(
        function.__code__.co_filename != module.file or is_code_of(function, codes)
        for function in own
    )


def is_code_of(function: FunctionType, codes: list[CodeType]) -> bool:
    """Whether a function was made of one of these."""
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
    """The code of every function in the module."""
    waiting = [compile(module.text, module.file, "exec", dont_inherit=True)]
    found = []
    while waiting:
        inner = [each for each in waiting.pop().co_consts if isinstance(each, CodeType)]
        found += inner
        waiting += inner
    return found


def text_of_code(code: CodeType) -> str:
    """What a piece of code does, wherever it stands."""
    constants = [_text_of_constant(each) for each in code.co_consts]
    names = code.co_names, code.co_varnames, code.co_freevars
    return f"{code.co_name} {code.co_code.hex()} {names} {constants}"


def _text_of_constant(value: object) -> str:
    if isinstance(value, CodeType):
        return text_of_code(value)
    if isinstance(value, frozenset):  # its order is not the same in every run
        return f"frozenset {sorted(map(_text_of_constant, value))}"
    return f"{type(value).__name__} {value!a}"
