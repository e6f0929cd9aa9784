"""The findings of `boardchain lint`: in the declarations of a file, as its import shows them, and those of the guard.

All code that the contracts of a file reach is checked, as at a deployment. Where that is not known, because the file cannot be
imported or has no contracts, its whole text is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Final

from chain.cli.script_loader import loaded
from chain.errors import DeclarationError
from chain.guard import Finding, check_contract, check_file
from chain.runtime.contract import Contract
from chain.source.failure_line import innermost_author_line
from chain.source.own_modules import SHARED_FOLDERS, files_below
from chain.source.user_modules import add_folder

_CONTRACT: Final = re.compile(
    r"^\s*(class .*\b(Contract|System)\b|@(chain\.)?(call|view|init)\b)", re.MULTILINE
)
_LEFT_OUT: Final = SHARED_FOLDERS | {"build", "dist", "venv"}


def findings_in(target: str) -> Iterator[Finding]:
    """Iterate over the findings in a package, a folder or a file. Some may come twice."""
    files = _files(target)
    with_contracts = [file for file in files if _CONTRACT.search(file.read_text("utf-8"))]
    # All are imported before one is checked, which freezes the constants of its module.
    imported = {file: _imported(file) for file in with_contracts}
    for file, module in imported.items():
        if isinstance(module, ModuleType) and (contracts := _contracts_of(module)):
            for contract in contracts:
                yield from _findings_of(contract, file)
        else:
            reasons = [] if isinstance(module, ModuleType) else _reasons(module, file)
            lines = {(reason.file, reason.line) for reason in reasons}
            yield from reasons
            yield from (each for each in check_file(file) if (each.file, each.line) not in lines)
    for file in () if imported else files:
        yield from check_file(file)


def _files(target: str) -> list[Path]:
    """Return the Python files of a package (`contracts.blokus`), a folder or a file."""
    path = Path(target)
    if not path.exists():
        path = _place_of_module(target)
    if path.is_file():
        return [path.resolve()]
    files = sorted(file for file in files_below(path.resolve()) if file.suffix == ".py")
    kept = [file for file in files if _LEFT_OUT.isdisjoint(file.relative_to(path.resolve()).parts)]
    if not kept:
        raise FileNotFoundError(f"{target}: this folder has no Python files")
    return kept


def _place_of_module(name: str) -> Path:
    """Return the folder or file of a module. Nothing is imported: its package may be broken."""
    top, *rest = name.split(".")
    add_folder(Path.cwd())
    spec = find_spec(top) if top.isidentifier() else None
    for folder in (spec and spec.submodule_search_locations) or ():
        place = Path(folder, *rest)
        for path in (place, place.with_suffix(".py")):
            if path.exists():
                return path
    if spec is None or spec.origin is None or rest:
        raise FileNotFoundError(
            f"{name}: no such file or package; write contracts.blokus, contracts/blokus or a file"
        )
    return Path(spec.origin)


def _imported(file: Path) -> ModuleType | BaseException:
    """Return the module in a file, or the reason why it cannot be imported."""
    root = file.parent
    while (root / "__init__.py").exists():
        root = root.parent
    if root.is_relative_to(Path.cwd()) and "-" not in str(root.relative_to(Path.cwd())):
        add_folder(root)  # for scripts, which import those beside them
        root = Path.cwd()  # folders without __init__.py are packages, too
    parts = file.relative_to(root).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    add_folder(root)
    try:
        with redirect_stdout(sys.stderr):
            module = import_module(name)
            is_that_file = Path(module.__file__ or "").resolve() == file
            return module if is_that_file else loaded(file)  # another module has this name
    except (Exception, SystemExit) as error:
        return error


def _contracts_of(module: ModuleType) -> list[type[Contract]]:
    """Return the contracts that a module defines."""
    classes = [thing for thing in vars(module).values() if isinstance(thing, type)]
    return [
        cls for cls in classes if issubclass(cls, Contract) and cls.__module__ == module.__name__
    ]


def _findings_of(contract: type[Contract], file: Path) -> list[Finding]:
    try:
        return check_contract(contract)
    except DeclarationError as error:
        return _reasons(error, file)


def _reasons(error: BaseException, file: Path) -> list[Finding]:
    """Return as findings why a file cannot be imported."""
    if isinstance(error, DeclarationError):
        return [_declared(each) if isinstance(each, str) else each for each in error.findings]
    line, text = innermost_author_line(error.__traceback__) or (str(file), 1), str(error)
    if isinstance(error, SyntaxError):
        line, text = (error.filename or str(file), error.lineno or 1), error.msg
    what = f"this cannot be imported: {type(error).__name__}: {text}"
    return [Finding(*line, 1, what, "", "", "import")]


def _declared(text: str) -> Finding:
    """Return the finding in the declaration of a class whose text begins with file and line."""
    place, _, wrong = text.partition(": ")
    file, _, line = place.rpartition(":")
    what, _, instead = wrong.partition("; ")
    return Finding(str(Path(file).resolve()), int(line), 1, what, "", instead, "declaration")
