"""The guard: a static check that a contract does the same on every machine and in every run.

It reads the source of a contract and of the parts of its package that the contract uses. It runs nothing, and it reports
everything that is not on its allowlists: clocks, randomness other than `self.random`, floats and `/`, values of modules and
classes that calls change, stored lists changed in place, caches, errors caught without a name, reflection, threads, files.
Each finding gives the location, the problem, the reason and the alternative.

On chain, sets keep the order of insertion and texts show no memory addresses (`chain.metering`), so these need no rule. Only
the order of a set at the top of a module is reported, because Python imports that code too.

It is made for honest authors. It is not a sandbox: an author who wants to get past it can. Nor does it see everything.
It knows that a value is a set, or a stored list, only if an annotation, a literal or a visible call shows it. Of
Python's own error messages it recognizes those of errors with a class of their own, and those of `int(text)` and of
calling an Enum; it misses the message of a ValueError that is raised further down. The value of an exponent is known
only when the contract runs: there the instrumented copy refuses a negative one.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from chain.guard import saved_findings
from chain.guard.finding import Finding
from chain.source.discovery import class_identity, locate_class, modules_in, read_text
from chain.source.modules import SourceTree, parse_module

if TYPE_CHECKING:
    from chain.guard.linter import Linter

__all__ = ["Finding", "check", "check_contract", "check_source"]

_Answer = tuple[dict[str, str], list[Finding]]
# By class: the source texts that were read, and the findings in them.
_answers: dict[tuple[str, str, int], _Answer] = {}


def check(target: str | Path | ModuleType | type) -> list[Finding]:
    """Check a package (`contracts.blokus`, or its folder), a file or a contract class, and return the findings.

    In a file with contracts, only the code that they reach is checked, as at their deployment. Any other file is checked
    as a whole.
    """
    if isinstance(target, type):
        return check_contract(target)
    if isinstance(target, ModuleType):
        target = target.__name__ if hasattr(target, "__path__") else str(target.__file__)
    findings: dict[Finding, None] = {}
    for sources, modules, contracts in modules_in(target):
        linter = _linter(sources)
        for contract in contracts:
            linter.add_contract(contract)
        for module in () if contracts else modules:
            linter.add_module(module)
        findings.update(dict.fromkeys(linter.findings()))
    return sorted(findings)


def check_contract(cls: type) -> list[Finding]:
    """Check everything that a contract class reaches. A class without a source, made at a prompt, has no findings."""
    key = class_identity(cls)
    cached = _answers.get(key)
    if cached is not None and all(read_text(file) == text for file, text in cached[0].items()):
        return list(cached[1])
    saved = saved_findings.load(cls)
    if saved is not None:
        return saved
    location = locate_class(cls)
    if location is None:
        return []
    sources, definition = location
    linter = _linter(sources)
    linter.add_contract(definition)
    findings = linter.findings()
    saved_findings.save(cls, sources, findings)
    _answers[key] = {module.file: module.text for module in linter.reach.modules}, findings
    return list(findings)


def check_source(text: str, name: str = "contract.py") -> list[Finding]:
    """Check a single source text, as if it were a file of that name."""
    module = parse_module(Path(name).stem, name, text)
    linter = _linter(SourceTree(module, lambda name: None))
    linter.add_module(module)
    return linter.findings()


def _linter(sources: SourceTree) -> Linter:
    """Return a new check. The rules are imported late, as most verdicts are known already."""
    linter: Linter = import_module("chain.guard.linter").Linter(sources)
    return linter
