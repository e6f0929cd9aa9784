"""Functions take a recursion level if names show that they may call themselves."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from chain.metering.recursion import recursive_lines
from chain.source.modules import parse_module

CASES = {
    "itself": ("def f(): return f()", {"f"}),
    "not itself": ("def f(): return g()", set()),
    "through another": ("def f(): return g()\ndef g(): return f()", {"f", "g"}),
    "as a value": ("def f(): return map(f, ())", {"f"}),
    "by a method": ("class A:\n def f(self): return self.f()", {"f"}),
    "before a loop": ("def f(): return g()\ndef g(): return g()", {"g"}),
    "a method of the same name elsewhere": (
        "class A:\n def f(self): return 1\nclass B:\n def f(self, a): return a.f()",
        {"f at 4"},
    ),
    "of an imported module": (
        "from game import rules\ndef play(): return rules.play()",
        set(),
    ),
    "of a package": ("import game.rules\ndef play(): return game.rules.play()", {"play"}),
    "inside": ("def f():\n def g(): return f()\n return g", {"f", "g"}),
    "a generator": ("def f(): yield from f()", set()),
    "called by an operator": ("class A:\n def __eq__(self, other): return True", {"__eq__"}),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES)
def test_functions_that_may_call_themselves(source: str, expected: set[str]) -> None:
    module = parse_module("game", "game.py", dedent(source))
    lines = recursive_lines(module)
    functions = [node for node in ast.walk(module.tree) if isinstance(node, ast.FunctionDef)]
    found = [node for node in functions if (node.lineno, node.col_offset) in lines]
    names = [node.name for node in functions]
    assert {
        node.name if names.count(node.name) == 1 else f"{node.name} at {node.lineno}"
        for node in found
    } == expected
