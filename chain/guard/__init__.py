"""The guard: a static check that a contract does the same on every machine and in every run.

It reads the sources of a contract, without running them, and finds the mistakes that honest authors make: clocks, dice, floats,
files, values that outlive a call and change, caches, errors caught without a name, lines that do nothing. Each finding has the
location, the problem, the reason and the alternative. It is no sandbox, and it is not alone: what a value shows better than the
source, such as a list that is changed under another name, is refused at deployment or when the line runs.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

from chain.guard.finding import Finding

__all__ = ["Finding", "check_contract", "check_file", "check_source"]


def check_contract(cls: type) -> list[Finding]:
    """Return the findings in all that a contract class reaches. One without a source, made at a prompt, has none."""
    found: list[Finding] = import_module("chain.metering.program").findings_of(cls)
    return found


def check_file(file: Path) -> list[Finding]:
    """Return the findings in a file, which is not imported."""
    return check_source(file.read_text("utf-8"), str(file))


def check_source(text: str, name: str = "contract.py") -> list[Finding]:
    """Return the findings in a source: in what its contracts name there or, if it has none, in all but its tests."""
    # Imported late: a deployment needs findings, which are nearly always in the cache.
    from chain.guard.named_here import counted
    from chain.guard.rules import RULES
    from chain.guard.visitor import findings_in
    from chain.source.import_paths import imports_of

    try:
        tree = ast.parse(text, name)
        imports = imports_of(tree, Path(name).stem, Path(name).name == "__init__.py")
        return sorted(set(counted(tree, findings_in(tree, text, name, imports))))
    except SyntaxError as error:
        place = name, error.lineno or 1, error.offset or 1
        return [RULES["not_python"].at(*place, text=error.msg)]
    except RecursionError:
        return [RULES["not_python"].at(name, 1, 1, text="it is nested too deeply")]
