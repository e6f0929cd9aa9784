"""The findings of the guard, cached on disk (`chain.source.disk_cache`) until something that they depend on changes.

They depend on the text of each module that was read, and on the file that each looked-up name leads to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple

from chain.foundation.light_hashes import fingerprint
from chain.guard.finding import Finding
from chain.source import disk_cache
from chain.source.discovery import class_folder, class_identity, method_codes, read_text
from chain.source.modules import SourceTree


def load(cls: type) -> list[Finding] | None:
    """Return the findings for a contract class; None if they are not known, or no longer."""
    saved = disk_cache.load("guard", *_identity(cls))
    if saved is None:
        return None
    texts, places, findings = saved
    find = _finder(cls)
    is_same = all(fingerprint(read_text(file)) == digest for file, digest in texts.items())
    if not is_same or any(find(name) != place for name, place in places.items()):
        return None
    return [Finding(*finding) for finding in findings]


def save(cls: type, sources: SourceTree, findings: list[Finding]) -> None:
    """Save the findings for a contract class, which came from these sources."""
    modules = [module for module in sources.modules.values() if module is not None]
    texts = {module.file: fingerprint(module.text) for module in modules}
    find = _finder(cls)
    places = {name: find(name) for name in sources.modules}
    disk_cache.save((texts, places, list(map(astuple, findings))), "guard", *_identity(cls))


def _identity(cls: type) -> tuple[object, ...]:
    lines = sorted(code.co_firstlineno for code in method_codes(cls))
    return cls.__module__, class_identity(cls), lines


def _finder(cls: type) -> Callable[[str], str | None]:
    folder = class_folder(cls)

    def find(name: str) -> str | None:
        path = folder.find(name)
        return None if path is None else str(path)

    return find
