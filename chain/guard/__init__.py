"""The guard: a static check that a contract does the same on every machine and in every run.

It reads the sources of a contract, without running them, and finds the mistakes that honest authors make: clocks, dice, floats,
files, values that outlive a call and change, caches, errors caught without a name, lines that do nothing. Each finding has the
location, the problem, the reason and the alternative. It is no sandbox, and it is not alone: what a value shows better than the
source, such as a list that is changed under another name, is refused at deployment or when the line runs.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

from chain.guard.finding import Finding
from chain.source.own_modules import files_below

__all__ = ["Finding", "check", "check_contract", "check_source"]


def check(target: str | Path | ModuleType | type) -> list[Finding]:
    """Return the findings in a package (`contracts.blokus`, or its folder), a file, or what a contract class reaches.

    Only a class has been imported. Of a package, folder or file, the texts are read: if there are contracts, what they name
    in these texts is checked, and otherwise everything but tests.
    """
    if isinstance(target, type):
        return check_contract(target)
    if isinstance(target, ModuleType):
        target = next(iter(getattr(target, "__path__", ())), None) or str(target.__file__)
    path = _path_of(target)
    found = [path] if path.is_file() else files_below(path)
    texts = {str(file): file.read_text("utf-8") for file in found if file.suffix == ".py"}
    if not texts:
        raise FileNotFoundError(f"{target}: this folder has no Python files")
    return _check(texts)


def check_contract(cls: type) -> list[Finding]:
    """Check everything that a contract class reaches. A class without a source, made at a prompt, has no findings."""
    found: list[Finding] = import_module("chain.metering.program").findings_of(cls)
    return found


def check_source(text: str, name: str = "contract.py") -> list[Finding]:
    """Return the findings in a source, as if it were a file of that name."""
    return _check({name: text})


def _check(texts: Mapping[str, str]) -> list[Finding]:
    # Imported late: a deployment needs findings, which are nearly always in the cache.
    from chain.guard.heard import File, findings_heard
    from chain.guard.rules import RULES
    from chain.guard.visitor import findings_in
    from chain.source.import_paths import imports_of

    files, found = [], set[Finding]()
    for name, text in texts.items():
        module, is_package = _module_name(Path(name)), Path(name).name == "__init__.py"
        try:
            tree = ast.parse(text, name)
            imports = imports_of(tree, module, is_package)
            files.append(File(module, tree, imports, findings_in(tree, text, name, imports)))
        except SyntaxError as error:
            place = name, error.lineno or 1, error.offset or 1
            found.add(RULES["not_python"].at(*place, text=error.msg))
        except RecursionError:
            found.add(RULES["not_python"].at(name, 1, 1, text="it is nested too deeply"))
    return sorted(found.union(findings_heard(files)))


def _module_name(file: Path) -> str:
    """Return the name by which a file is imported, from the folder around its packages."""
    folder, names = file.parent, [] if file.name == "__init__.py" else [file.stem]
    while (folder / "__init__.py").exists():
        folder, names = folder.parent, [folder.name, *names]
    return ".".join(names)


def _path_of(target: str | Path) -> Path:
    parts = str(target).split(".")
    for path in (Path(target), *(Path(entry, *parts) for entry in ["", *sys.path])):
        for candidate in (path, path.with_suffix(".py")):
            if candidate.exists():
                return candidate.resolve()
    raise FileNotFoundError(
        f"{target}: no such file or package; write contracts.blokus, contracts/blokus or a file"
    )
