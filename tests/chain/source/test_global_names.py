"""Global names are distinguished from others as Python's compiler does, compared with its symbol table."""

from __future__ import annotations

import ast
import symtable
import sys
from pathlib import Path

import pytest

from chain.source import global_names
from chain.source.global_names import uses_of

# By source: what it reads while it runs, what it reads later, what it sets.
SOURCES = {
    "x = a.b + c[d]": ("acd", "", "x"),
    "for i in rows: i.add(i)": (["i", "rows"], "", "i"),
    "y = [i for i in i if j]": ("ij", "", "y"),
    "y = [(i, k) for i in a for k in i]": ("a", "", "y"),
    "y = (n for i in a)": ("a", "n", "y"),
    "y = [z := i for i in a]": ("a", "", "yz"),
    "y = lambda i, j=j: i + j + k": ("j", "k", "y"),
    "def f(a, b=b, *c, d: D = e, **g) -> r: return a, b, c, d, g, h": (["b", "D", "e", "r"], "h", "f"),
    "def f():\n x = 1\n def g(): return x, y\n return g": ("", "y", "f"),
    "def f():\n def g(): return x\n x = 1": ("", "", "f"),
    "def f():\n global x\n x = y": ("", "y", "fx"),
    "def f():\n x = 1\n def g():\n  nonlocal x\n  x = 2": ("", "", "f"),
    "def f():\n global x\n def g(): return x": ("", "x", "f"),
    "def f():\n try: pass\n except E as e: return e": ("", "E", "f"),
    "def f(v):\n match v:\n  case C(x=a, y=[b, *c]) | {**d}: return a, b, c, d, e": ("", "Ce", "f"),
    "def f():\n import a.b as c, d.e\n return c, d, g": ("", "g", "f"),
    "def f():\n del x": ("", "", "f"),
    "def f():\n return [x for _ in y], (x := 1)": ("", "y", "f"),
    "class C:\n x = x\n y = x\n def f(self): return x": ("x", "x", "C"),
    "class C:\n x = 1\n y = [x for _ in x]": ("x", "", "C"),
    "class C:\n if a: x = 1\n y = x": ("ax", "", "C"),
    "class C:\n for i in a: b = i": ("a", "", "C"),
    "class C:\n list: u8\n rows: list[u8]": (["list", "u8"], "", "C"),
    "class C:\n def f(self): return __x, __class__, super": ("", ["_C__x", "super"], "C"),
    "class C(b.D, metaclass=m):\n @p\n def f(self, x: 'T') -> Literal['U']: ...": ("bmp" + "T", "", "C"),
    "if (n := len(a)) > 1: b = n\nelse: del c": (["n", "len", "a"], "", "nbc"),
    "with a as (b, c[d]): pass": ("acd", "", "b"),
    "x += 1": ("x", "", "x"),
    "x: T": ("T", "", ""),
    "from a import b as c, d": ("", "", "cd"),
    "print(f'{a!r:{b}}')": (["print", "a", "b"], "", ""),
}  # fmt: skip
SOURCES_OF_3_12 = {
    "def f[T: B](x: T) -> list[T]: return T, y": (["B", "list"], "y", "f"),
    "class C[T](list[T]):\n def f(self) -> T: return T": (["list"], "", "C"),
    "type A[T] = dict[T, B]": ("", ["dict", "B"], "A"),
}
if sys.version_info >= (3, 12):
    SOURCES |= SOURCES_OF_3_12


@pytest.mark.parametrize("source", SOURCES)
def test_names_are_those_of_the_module(source: str) -> None:
    now, late, bound = map(set, SOURCES[source])
    found = uses_of(ast.parse(source).body[0])
    reads = {
        read.path[0]: read.is_late
        for read in sorted(found.reads, key=lambda read: not read.is_late)
    }
    assert {name for name, is_late in reads.items() if not is_late} - {"Literal"} == now
    assert {read.path[0] for read in found.reads if read.is_late} == late
    assert {*found.binds, *found.binds_late} == bound


def test_path_has_all_attributes() -> None:
    [read] = uses_of(ast.parse("a.b.c(1).d").body[0]).reads
    assert read.path == ("a", "b", "c")


STDLIB = "argparse ast bisect bdb calendar cmd code codecs collections/__init__ configparser contextlib copy csv dataclasses"
MODULES = [Path(ast.__file__).parent / f"{name}.py" for name in STDLIB.split()]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_compiler_sees_the_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(global_names, "_TEXTS", 0)  # to the compiler a text is a text
    text = path.read_text("utf-8")
    found = [uses_of(node) for node in ast.parse(text).body]
    names = {name for each in found for name in each.names}
    bound = {name for each in found for name in (*each.binds, *each.binds_late)}
    if sys.version_info >= (
        3,
        12,
    ):  # whose table of a module has the variables of comprehensions in it as well
        names, bound = names | _variables(text), bound | _variables(text)
    expected, set_by_compiler = _by_compiler(symtable.symtable(text, path.name, "exec"))
    inexact = _set_in_classes(text)  # such a name in a class may be global before it is set there
    assert names - inexact >= expected - inexact and expected >= names - inexact - _variables(text)
    assert bound - _variables(text) == set_by_compiler - _variables(text)


def _by_compiler(table: symtable.SymbolTable) -> tuple[set[str], set[str]]:
    read, bound = set(), set()
    is_module, is_class = table.get_type() == "module", table.get_type() == "class"
    for symbol in table.get_symbols():
        name = symbol.get_name()
        if name.startswith("."):
            continue
        if symbol.is_referenced() and (is_module or symbol.is_global()):
            read.add(name)
        is_set = symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
        if is_set and (is_module or (symbol.is_declared_global() and not is_class)):
            bound.add(name)
    for inner in table.get_children():
        more_read, more_bound = _by_compiler(inner)
        read |= more_read
        bound |= more_bound
    return read, bound


def _variables(text: str) -> set[str]:
    comprehensions = (
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.comprehension)
    )
    targets = (name for node in comprehensions for name in ast.walk(node.target))
    return {name.id for name in targets if isinstance(name, ast.Name)}


def _set_in_classes(text: str) -> set[str]:
    classes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef))
    inner = (each for node in classes for each in ast.walk(node))
    return {
        each.id for each in inner if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
