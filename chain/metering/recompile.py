"""Code that is compiled again from its source with ticks: a statement at the top of a module, or one function."""

from __future__ import annotations
import __future__

import ast
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from chain.metering.debug_statements import hide, show
from chain.metering.rewrite import CostRewriter
from chain.metering.tree_rewriter import constants_before
from chain.source.compiled_code import codes_in
from chain.source.current_definition import codes_of, is_code_of
from chain.source.modules import Module, parse_module
from chain.source.other_packages import SHARED_FOLDERS
from chain.source.top_level import current_text

# Annotations stay texts: some versions of Python evaluate them where they stand, others when they are asked for.
ANNOTATIONS = __future__.annotations.compiler_flag
_OURS = str(Path(__file__).parent.parent)
_AROUND = "__around__"


def ticked_statement(
    node: ast.stmt, fresh: ast.stmt, module: Module, space: dict[str, Any]
) -> CodeType:
    """Return the code of the statement `node` of a module with ticks. `fresh` is a copy of it, which is changed.

    `space` holds the values of the names above it.
    """
    constants = constants_before(node.lineno, module, space)
    ticked = show(ast.Module([CostRewriter(module, constants).visit(hide(fresh, module))], []))
    tree = ast.fix_missing_locations(ticked)
    code: CodeType = compile(tree, module.file, "exec", ANNOTATIONS, dont_inherit=True)
    return code


def ticked_code(function: FunctionType) -> CodeType | None:
    """Return the code of a function with ticks.

    None if its source is not the author's, cannot be found, or has changed since the function was compiled.
    """
    old = function.__code__
    module = _module_of(old.co_filename, function.__module__ or "")
    if module is None or not is_code_of(function, codes_of(module)):
        return None
    owner = function.__qualname__.rpartition(".")[0]
    is_method = bool(owner) and not owner.endswith("<locals>")
    return _compiled(module, old, owner.rpartition(".")[2] if is_method else "")


def _module_of(file: str, name: str) -> Module | None:
    if file.startswith((_OURS, "<frozen")) or not SHARED_FOLDERS.isdisjoint(Path(file).parts):
        return None
    if name.partition(".")[0] in ("chain", "builtins"):
        return None
    text = current_text(file)
    module = parse_module(name, file, text, False) if text else None
    return None if module is None or module.broken else module


@lru_cache(maxsize=4096)
def _compiled(module: Module, old: CodeType, owner: str) -> CodeType | None:
    nodes = list(_nodes(module, old))
    if len(nodes) != 1:
        return None
    node = show(CostRewriter(module, {}).visit(hide(deepcopy(nodes[0]), module)))
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
        inner: ast.stmt = node
    else:
        inner = ast.copy_location(ast.Expr(node), node)
    names = [name for name in old.co_freevars if name != "__class__"]
    tree = _nested(inner, names, owner)
    code = compile(
        ast.fix_missing_locations(tree), module.file, "exec", ANNOTATIONS, dont_inherit=True
    )
    new = next((nested for nested in codes_in(code) if nested.co_name == old.co_name), None)
    if new is None or _signature(new) != _signature(old):
        return None
    if not set(new.co_freevars) <= set(old.co_freevars):
        return None
    return new.replace(co_firstlineno=old.co_firstlineno, co_qualname=old.co_qualname)


def _nodes(module: Module, code: CodeType) -> Iterator[ast.FunctionDef | ast.Lambda]:
    """Yield the functions that have the name and the first line of `code`."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef):
            name, decorators = node.name, node.decorator_list
        elif isinstance(node, ast.Lambda):
            name, decorators = "<lambda>", []
        else:
            continue
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        if (name, first) == (code.co_name, code.co_firstlineno):
            yield node


def _nested(inner: ast.stmt, names: list[str], owner: str) -> ast.Module:
    """Wrap a function in one that binds the free `names`, and a method also in a class with the name `owner`."""
    tree = ast.parse(f"def {_AROUND}({', '.join(names)}): pass")
    outer: Any = tree.body[0]
    if owner:
        owner_class: Any = ast.parse(f"class {owner}: pass").body[0]
        owner_class.body = [inner]
        inner = owner_class
    outer.body = [inner]
    return tree


def _signature(code: CodeType) -> tuple[object, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    return code.co_argcount, code.co_kwonlyargcount, code.co_varnames[:count]
