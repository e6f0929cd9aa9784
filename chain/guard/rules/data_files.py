"""A package's data files belong to the package, as its source does. One of its modules may read them: the one named `library`.

It reads them while it is imported, at the top of the module or in functions called from there, and only below its own folder.
The result is kept: no function that a contract calls may read a file again.
"""

from __future__ import annotations

import ast
from typing import Final

from chain.guard.allowlist import LIBRARY, LIBRARY_MODULES
from chain.guard.finding import Rule
from chain.guard.inference import infer
from chain.guard.scope import Scopes
from chain.source.modules import Definition, Module, SourceTree
from chain.source.static_types import PATH
from chain.source.word_sets import word_set

ELSEWHERE: Final = Rule(
    "other_folder",
    "'{name}' starts at a location of this machine",
    "that is not part of the package",
    "start from Path(__file__).parent, or with files(__package__)",
)
UNSORTED: Final = Rule(
    "unsorted_folder",
    "'{name}' lists files in the order of this disk",
    "another disk has another order",
    "write sorted(….{name}(…))",
)
ENCODING: Final = Rule(
    "encoding",
    "'read_text' without an encoding depends on the machine's settings",
    "they differ from machine to machine",
    "write read_text('utf-8')",
)
NOT_READING: Final = Rule(
    "not_reading",
    "'{name}' does more with a file than reading it",
    "the content of a disk is not part of the chain",
    "use read_text('utf-8'), read_bytes() or sorted(….glob(…)) only",
)
TOO_LATE: Final = Rule(
    "late_reading",
    "'{name}' reads files, and this runs in a call",
    "by then the files may have changed, or be gone",
    f"read them at the top of the module '{LIBRARY}', and use the result",
)

RULES: Final = (ELSEWHERE, UNSORTED, ENCODING, NOT_READING, TOO_LATE)

_LISTINGS: Final = frozenset({"glob", "iterdir", "rglob"})
_READINGS: Final = frozenset({"read_text", "read_bytes"}) | _LISTINGS
_PURE: Final = word_set(
    "as_posix is_relative_to joinpath match relative_to with_name with_stem with_suffix"
)


def calls(node: ast.Call, place: Scopes) -> None:
    """Check calls that read files. A listing of files that is sorted is fine."""
    _check_reader(node, place)
    if not _is_in_library(place):
        return
    path = place.path(node.func)
    if path in ("pathlib.Path", "importlib.resources.files"):
        if len(node.args) != 1 or ast.unparse(node.args[0]) not in ("__file__", "__package__"):
            place.report(ELSEWHERE, node, name=str(path).rpartition(".")[2])
    elif path == "builtins.sorted":
        for argument in node.args:
            place.suppressed.add(argument)
            if isinstance(argument, ast.GeneratorExp | ast.ListComp):
                place.suppressed.update(generator.iter for generator in argument.generators)
    elif isinstance(node.func, ast.Attribute):
        _check_method(node, node.func, place)


def _check_method(node: ast.Call, func: ast.Attribute, place: Scopes) -> None:
    name = func.attr
    if place.path(func) == "pathlib.Path." + name:  # Path.cwd(), Path.home()
        place.report(ELSEWHERE, node, name=f"Path.{name}")
    elif name in _LISTINGS:
        if node not in place.suppressed:
            place.report(UNSORTED, node, name=name)
    elif name == "read_text":
        if not node.args and not any(keyword.arg == "encoding" for keyword in node.keywords):
            place.report(ENCODING, node)
    elif infer(func.value, place) == PATH and name not in _PURE | _READINGS:
        place.report(NOT_READING, node, name=name)


def _check_reader(node: ast.Call, place: Scopes) -> None:
    """Report a call that reads files from code that may run in a contract's call; a class may not read files at all."""
    if not place.is_running:
        return
    resolved = place.definition(node.func)
    if resolved is not None and not resolved[1] and is_reader(resolved[0], place.sources):
        if not _is_itself_reader(place):
            place.report(TOO_LATE, node, name=resolved[0].name)
    elif _is_in_library(place) and not _is_itself_reader(place) and _reads(node, place.module):
        place.report(TOO_LATE, node, name=ast.unparse(node.func).rpartition(".")[2])


def _is_in_library(place: Scopes) -> bool:
    return place.module.last_name == LIBRARY


def _is_itself_reader(place: Scopes) -> bool:
    return _is_in_library(place) and isinstance(place.outermost, ast.FunctionDef)


def is_while_importing(place: Scopes) -> bool:
    """True inside a function that reads files, which no contract's call can reach."""
    node = place.outermost
    definition = place.module.names.get(node.name) if isinstance(node, ast.FunctionDef) else None
    return definition is not None and is_reader(definition, place.sources)


def is_reader(definition: Definition, sources: SourceTree) -> bool:
    """True if a function of a `library` module reads files, directly or through another function."""
    module = definition.module
    if module.last_name != LIBRARY or not isinstance(definition.node, ast.FunctionDef):
        return False
    if module.name not in sources.readers:
        sources.readers[module.name] = _readers(module)
    return definition.name in sources.readers[module.name]


def _readers(module: Module) -> frozenset[str]:
    functions = {node.name: node for node in module.tree.body if isinstance(node, ast.FunctionDef)}
    readers: set[str] = set()
    size = -1
    while len(readers) > size:  # until no further function calls one of them
        size = len(readers)
        for name, function in functions.items():
            if name not in readers and _touches(function, readers, module):
                readers.add(name)
    return frozenset(readers)


def _touches(function: ast.FunctionDef, readers: set[str], module: Module) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in readers:
            return True
        if isinstance(node, ast.Call) and _reads(node, module):
            return True
    return False


def _reads(node: ast.Call, module: Module) -> bool:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr in _READINGS
    definition = module.names.get(node.func.id) if isinstance(node.func, ast.Name) else None
    home, _, name = ((definition.import_path if definition else None) or "").rpartition(".")
    return name in LIBRARY_MODULES.get(home, ())


CHECKS: Final = {ast.Call: (calls,)}
