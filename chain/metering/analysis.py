"""Analysis of a source file, without running it: the code with ticks, a hash and the guard's findings of each definition.

It is computed once for each text of a file, and kept on disk for the next process.
"""

from __future__ import annotations

import ast
import marshal
from collections.abc import Container, Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Final, NamedTuple, TypeAlias

from chain.errors import DeclarationError
from chain.foundation.light_hashes import fingerprint
from chain.guard.finding import Finding
from chain.metering.digest import canonical_syntax
from chain.source import disk_cache
from chain.source.compiled_code import codes_in, text_of_code
from chain.source.location import read_text, relative_path

# The qualified name and the first line of a function or lambda; of a class, or a name at the top of the file, the line is 0.
Key: TypeAlias = tuple[str, int]


class Analysis(NamedTuple):
    codes: dict[Key, list[Twins]]
    syntax: dict[Key, str]  # for classes too by their first line
    findings: dict[Key, list[Finding]]
    uses: dict[
        str, list[str]
    ]  # by a name at the top of the file: the names that are read to make it
    text: str

    def twins_of(self, code: CodeType, has_rewritten_asserts: bool) -> Twins | None:
        """Return the twins for the code of an imported function; None if the file does not hold it.

        Pytest rewrites the `assert` statements of test modules, so their functions are found by name, line and arguments.
        """
        here = self.codes.get(key_of(code), [])
        elsewhere = (
            twins
            for (name, line), found in self.codes.items()
            for twins in found
            if name == code.co_qualname and line != code.co_firstlineno
        )
        for twins in (*here, *elsewhere):  # lines above it may have been edited since the import
            if twins.plain == code or text_of_code(twins.plain) == text_of_code(code):
                return twins
        for twins in here if has_rewritten_asserts else ():
            if _arguments(twins.plain) == _arguments(code):
                return twins
        return None


class Twins(NamedTuple):
    """The code of one function, as Python compiles it, and with ticks."""

    plain: CodeType
    ticked: CodeType
    analysis: Analysis

    @property
    def syntax(self) -> str:
        return self.analysis.syntax.get(key_of(self.plain), "")

    @property
    def findings(self) -> list[Finding]:
        return self.analysis.findings.get(key_of(self.plain), [])


_known: Final[dict[int, Twins]] = {}  # by the id of the code with ticks


def known_twins(function: FunctionType) -> Twins | None:
    """Return the twins of a function that runs with ticks."""
    return _known.get(id(function.__code__))


def plain_code(function: FunctionType) -> CodeType:
    """Return the code of a function as Python compiles it."""
    twins = known_twins(function)
    return function.__code__ if twins is None else twins.plain


def key_of(code: CodeType) -> Key:
    return code.co_qualname, code.co_firstlineno


def _arguments(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def analysis_of(file: str, module: str) -> Analysis | None:
    """Return the analysis of a file as it is now; None if it has no source."""
    text = read_text(file)
    try:
        return _analysis(text, file, module) if text else None
    except SyntaxError:  # a script in another document
        return None
    except RecursionError:
        raise DeclarationError(
            f"{relative_path(file)}: this file is too deeply nested to be read: replace its longest chain of 'elif' "
            "or of operators, by a dict or a match statement for example"
        ) from None


@lru_cache(maxsize=1024)
def _analysis(text: str, file: str, module: str) -> Analysis:
    key = "analysis", text, file, module
    saved = disk_cache.load(*key)
    if saved is None:
        saved = _computed(text, file, module)
        disk_cache.save(saved, *key)
    plain, ticked, syntax, findings, uses = saved
    found = {name: [Finding(*parts) for parts in group] for name, group in findings.items()}
    analysis = Analysis({}, syntax, found, uses, text)
    codes = codes_in(marshal.loads(plain)), codes_in(marshal.loads(ticked))
    for one, other in zip(*codes, strict=True):
        _known[id(other)] = twins = Twins(one, other, analysis)
        analysis.codes.setdefault(key_of(one), []).append(twins)
    return analysis


def _computed(text: str, file: str, module: str) -> tuple[object, ...]:
    # Imported late: nearly always, the result is in the cache.
    from chain.guard.visitor import findings_in
    from chain.metering.ticks import with_ticks
    from chain.source.import_paths import imports_of, names_bound

    tree = ast.parse(text, file)
    imports = imports_of(tree, module, Path(file).name == "__init__.py")
    findings = {
        name: [tuple(getattr(found, part) for part in Finding.__slots__) for found in group]
        for name, group in findings_in(tree, text, file, imports).items()
    }
    syntax = dict(_syntax_of(tree, imports))
    uses = {name: [*_read_by(node)] for node in tree.body for name in names_bound(node)}
    plain = marshal.dumps(compile(tree, file, "exec", dont_inherit=True))
    with_ticks(tree, imports)
    # Unoptimized: `assert` works under -O too.
    ticked = marshal.dumps(compile(tree, file, "exec", dont_inherit=True, optimize=0))
    return plain, ticked, syntax, findings, uses


def _read_by(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement at the top of a file reads to make a value; of a definition, those of decorators."""
    parts: list[ast.AST] = [node]
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        inner = node.body if isinstance(node, ast.ClassDef) else []
        parts = [mark for part in (node, *inner) for mark in getattr(part, "decorator_list", ())]
    for part in parts:
        yield from (name.id for name in ast.walk(part) if isinstance(name, ast.Name))


def _syntax_of(node: ast.AST, own: Container[str], prefix: str = "") -> Iterator[tuple[Key, str]]:
    """Yield a hash for each definition. That of a class includes its methods."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            name = prefix + getattr(child, "name", "<lambda>")
            decorators = getattr(child, "decorator_list", ())
            first = min([child.lineno, *(decorator.lineno for decorator in decorators)])
            yield (name, first), fingerprint(canonical_syntax(child, own))
            inner = f"{name}." if isinstance(child, ast.ClassDef) else f"{name}.<locals>."
            yield from _syntax_of(child, own, inner)
        else:
            yield from _syntax_of(child, own, prefix)
