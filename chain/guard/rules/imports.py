"""Imports: at the top of a module, by name, and only of names that behave the same everywhere."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chain.guard.allowlist import LIBRARY, LIBRARY_MODULES, MODULES
from chain.guard.finding import Rule
from chain.guard.rules.floats import FLOAT_FUNCTION
from chain.guard.scope import Scopes
from chain.source.modules import Definition, Module, is_type_checking, origin_of

CLOCK: Final = Rule(
    "clock",
    "'{name}' reads the machine's clock",
    "every machine has its own",
    "use self.block.timestamp, or take the time as an argument",
)
CHANCE: Final = Rule(
    "chance",
    "'{name}' brings in outside randomness",
    "nobody could replay the result",
    "use self.random, or take the random value as an argument",
)
THREADS: Final = Rule(
    "threads",
    "'{name}' is for concurrent code",
    "the machine decides the order",
    "run one step after the other",
)
OUTSIDE: Final = Rule(
    "outside",
    "'{name}' reaches outside the chain",
    "the outside differs from machine to machine",
    "take it as an argument, or keep it in storage",
)
FILES: Final = Rule(
    "files",
    "'{name}' reads or writes files",
    "the content of a file is not part of the chain",
    f"read the data files of the package while it is imported, in its module '{LIBRARY}'",
)
REFLECTION: Final = Rule(
    "reflection",
    "'{name}' inspects Python itself",
    "its internals differ between versions",
    "refer to things by name, or choose with a dict or a match statement",
)
INEXACT: Final = Rule(
    "inexact",
    "'{name}' computes with numbers that are not whole",
    "these are rounded, and the rules of a game must be exact",
    "count in whole numbers of a smaller unit",
)
CACHE: Final = Rule(
    "cache",
    "'{name}' keeps results from call to call",
    "a second call then costs less than the first, but not on a machine that has just started",
    "compute it once at the top of the module, or keep it in storage",
)
MACHINE: Final = Rule(
    "machine",
    "'{name}' is for use outside of contracts",
    "a contract runs inside the chain",
    "use the members of self: self.keccak, self.at, self.deploy, self.block, self.emit",
)
UNLISTED: Final = Rule(
    "unlisted",
    "'{name}' is not on the list of what a contract may import",
    "it may behave differently elsewhere",
    "{instead}",
)
STAR: Final = Rule(
    "star",
    "'*' imports names that are not visible here",
    "they may change with '{name}'",
    "import the names that you use",
)
LATE: Final = Rule(
    "late_import",
    "an import inside {what}",
    "its result would depend on {when}",
    "import it at the top of the module, and if two modules import each other, write 'import package.module' there",
)

RULES: Final = (
    CLOCK, CHANCE, THREADS, OUTSIDE, FILES, REFLECTION, INEXACT, CACHE, MACHINE, UNLISTED, STAR, LATE,
)  # fmt: skip


def _by_name(*groups: tuple[Rule, str]) -> Mapping[str, Rule]:
    return MappingProxyType({name: rule for rule, names in groups for name in names.split()})


# The reasons for refusing well-known modules that are not listed.
REFUSED_MODULES: Final = _by_name(
    (CLOCK, "time datetime calendar zoneinfo sched timeit"),
    (CHANCE, "random secrets uuid"),
    (THREADS, "threading _thread asyncio multiprocessing concurrent queue contextvars signal select selectors"),
    (OUTSIDE, "os sys socket ssl subprocess http urllib platform getpass locale sqlite3 requests httpx eth web3"),
    (OUTSIDE, "logging warnings atexit ftplib smtplib email resource syslog site sysconfig eth_tester"),
    (FILES, "io pathlib shutil tempfile glob fileinput csv pickle shelve dbm zipfile tarfile gzip lzma mmap"),
    (REFLECTION, "inspect gc weakref ctypes importlib pkgutil ast dis tokenize traceback builtins code"),
    (REFLECTION, "symtable marshal copyreg tracemalloc faulthandler pdb unittest"),
    (INEXACT, "decimal fractions statistics cmath numbers numpy colorsys"),
    (CACHE, "linecache cachetools"),
    (MACHINE, "chain"),
)  # fmt: skip

# The reasons for refusing well-known names that are missing from the list of their module.
REFUSED_NAMES: Final = _by_name(
    (CACHE, "functools.cache functools.lru_cache functools.cached_property"),
    (REFLECTION, "functools.singledispatch functools.singledispatchmethod functools.update_wrapper"),
    (REFLECTION, "typing.get_type_hints typing.get_origin typing.get_args operator.methodcaller"),
    (REFLECTION, "dataclasses.make_dataclass dataclasses.is_dataclass enum.EnumMeta enum.EnumType abc.ABCMeta"),
    (INEXACT, "operator.truediv operator.itruediv"),
    (FILES, "json.load json.dump"),
)  # fmt: skip


def check_import(definition: Definition, place: Scopes) -> None:
    """Check one name of an import statement."""
    alias, node = definition.node, definition.statement
    assert isinstance(alias, ast.alias)
    if isinstance(node, ast.ImportFrom):
        home = origin_of(place.module, node)
        if alias.name == "*":
            place.report(STAR, node, name=home)
        elif place.sources.split(f"{home}.{alias.name}") is None:
            _check(home, alias.name, alias, place)
    elif place.sources.split(alias.name) is None:
        _check(alias.name, "", alias, place)


def _check(home: str, name: str, node: ast.AST, place: Scopes) -> None:
    """Check `from home import name`, or `import home` if `name` is empty."""
    path = f"{home}.{name}" if name else home
    if is_allowed(home, name, place.module) or is_allowed(path, "", place.module):
        return
    if home == "math":
        report_math(path, node, place)
        return
    if home.partition(".")[0] == "chain" and not name:
        place.report(
            UNLISTED, node, name=path, instead="write 'from chain import …' and name what you use"
        )
        return
    rule = REFUSED_NAMES.get(path) or refusal_of(home)
    place.report(rule, node, name=path, instead=_instead(home, place.module))


def refusal_of(home: str) -> Rule:
    """The rule by which a module, or an unlisted name of it, is refused."""
    if home in MODULES and home != "chain":
        return UNLISTED
    return REFUSED_MODULES.get(home.partition(".")[0], UNLISTED)


def is_allowed(home: str, name: str, module: Module) -> bool:
    """True if `name` of the module `home` is on the lists; without a name, if any name of `home` is."""
    extra = LIBRARY_MODULES.get(home) if module.last_name == LIBRARY else None
    if extra is not None and (not name or name in extra):
        return True
    if home not in MODULES:
        return False
    names = MODULES[home]
    return home != "chain" if not name else names is None or name in names


def report_math(path: str, node: ast.AST, place: Scopes) -> None:
    place.report(FLOAT_FUNCTION, node, path=path, names="isqrt, gcd, lcm, comb, prod")


def _instead(home: str, module: Module) -> str:
    names = MODULES.get(home)
    if names:
        return f"'{home}' offers {', '.join(sorted(names, key=str.lower)[:12])}"
    return f"write the parts that you need in '{module.name.rpartition('.')[0] or module.name}'"


def attributes(node: ast.Attribute, place: Scopes) -> None:
    """Check an attribute of an allowed module: `functools.cache`, where `functools` itself is fine."""
    holder = place.path(node.value)
    if holder is None or holder not in MODULES or place.sources.split(holder) is not None:
        return
    if not is_allowed(holder, node.attr, place.module) and not is_allowed(
        f"{holder}.{node.attr}", "", place.module
    ):
        _check(holder, node.attr, node, place)


def places(node: ast.Import | ast.ImportFrom, place: Scopes) -> None:
    """Report an import that is not at the top level of its module."""
    if place.is_running:
        place.report(LATE, node, what="a function", when="the first caller")
    elif place.scope.what == "class":
        place.report(LATE, node, what="a class", when="the lines above it")


def conditional(node: ast.If | ast.Try, place: Scopes) -> None:
    """Report a conditional import, which may run on one machine and not on another."""
    if place.is_running or (isinstance(node, ast.If) and is_type_checking(node)):
        return
    nested_imports = [
        statement
        for statement in ast.walk(node)
        if isinstance(statement, ast.Import | ast.ImportFrom)
    ]
    for statement in nested_imports:
        block = "an 'if'" if isinstance(node, ast.If) else "a 'try'"
        place.report(LATE, statement, what=block, when="the installed packages")


CHECKS: Final = {
    ast.Attribute: (attributes,),
    ast.Import: (places,),
    ast.ImportFrom: (places,),
    ast.If: (conditional,),
    ast.Try: (conditional,),
}
