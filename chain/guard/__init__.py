"""The guard: whether a contract does the same on every machine, in every run, as far as its text can tell.

It reads the source of a contract and of what it uses of its own package, runs nothing, and reports what is not on its lists:
clocks, chance but `self.random`, floats and `/`, the order of sets, addresses in memory, values of modules and classes that
calls change, lists of storage changed where they are, caches, errors caught without a name, reflection, threads, files. Each
finding says where, what, why, and what to write instead.

It is made for honest authors, who want to know. It is no sandbox: who wants to get past it will. Nor does it see everything.
It takes a value for a set where an annotation, a literal or a call in sight says so, and follows that through the functions
of the package; not through attributes that have no annotation, not through lists and dicts that get one set among other
things, not into functions kept in a table or handed on as arguments. Of Python's own words it knows those of errors that
have a name of their own, and of `int(text)` and an Enum's call; a ValueError that comes from deeper down keeps its words
unseen. What an exponent is shows when the contract runs: below zero it is refused there, by its image.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from chain.guard.finding import Finding
from chain.guard.linter import Linter
from chain.source.discovery import (
    class_identity,
    locate_class,
    modules_in,
    read_text,
)
from chain.source.modules import (
    SourceTree,
    parse_module,
)

__all__ = ["Finding", "check", "check_contract", "check_source"]

_Answer = tuple[dict[str, str], list[Finding]]
_answers: dict[
    tuple[str, str, int], _Answer
] = {}  # by class: the texts that were read, and what was found in them


def check(target: str | Path | ModuleType | type) -> list[Finding]:
    """What is wrong in a package (`contracts.blokus`, or its folder), a file, or with a contract class.

    Of a file with contracts that is what they reach, as it is when they are deployed; of others it is all that stands there.
    """
    if isinstance(target, type):
        return check_contract(target)
    if isinstance(target, ModuleType):
        target = target.__name__ if hasattr(target, "__path__") else str(target.__file__)
    found: dict[Finding, None] = {}
    for sources, modules, contracts in modules_in(target):
        reading = Linter(sources, modules[0], whole=not contracts)
        reading.queue += contracts
        for module in () if contracts else modules:
            reading.add_module(module)
        found.update(dict.fromkeys(reading.findings()))
    return sorted(found)


def check_contract(cls: type) -> list[Finding]:
    """What is wrong in all that a contract class can reach. A class without a source, made at a prompt, is let pass."""
    key = class_identity(cls)
    known = _answers.get(key)
    if known is not None and all(read_text(file) == text for file, text in known[0].items()):
        return list(known[1])
    home = locate_class(cls)
    if home is None:
        return []
    sources, definition = home
    reading = Linter(sources, definition.module, whole=False)
    reading.queue.append(definition)
    found = reading.findings()
    _answers[key] = {module.file: module.text for module in reading.modules}, found
    return list(found)


def check_source(text: str, name: str = "contract.py") -> list[Finding]:
    """What is wrong in a text by itself, as if it stood in a file of that name."""
    module = parse_module(Path(name).stem, name, text)
    reading = Linter(SourceTree(module, None), module, whole=True)
    reading.add_module(module)
    return reading.findings()
