"""Kept programs: a chain's file holds, for each contract, the sources and constants that it takes to run it again.

So deployed code goes on running after an edit, or where its package or a data file is missing. A row is read when a contract
with its digest is first used, unless its module is here as it was. To run it is to run the Python of the author of the file,
so it runs only if this user deployed it, which a list in the user's state folder records, or if the caller trusts the file.
No row leaves the file by JSON-RPC.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from chain.crypto.messagepack import decode, encode
from chain.errors import DeclarationError
from chain.foundation.light_hashes import raw_fingerprint
from chain.foundation.turn import in_turn
from chain.foundation.watchdog import uninterrupted
from chain.ledger.artifacts import Artifact
from chain.ledger.edits import warn_of_edit
from chain.ledger.imported_classes import class_at
from chain.ledger.ledger import Ledger
from chain.machine.machine import Programs
from chain.metering.program import Program, findings_of, program_of
from chain.source.disk_cache import is_safe


def _metering() -> Any:
    """Return the module that keeps and runs programs. It is imported late: most processes do neither."""
    return import_module("chain.metering.kept")


# Rows


def kept_rows(programs: Programs, digests: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield the rows that keep these programs, by digest, and record that this user deployed them."""
    for digest in digests:
        program = programs.running(digest)
        row = None if program is None else _row_of(program)
        if row is not None:
            yield digest, row


@lru_cache(maxsize=64)
def _row_of(program: Program) -> bytes | None:
    """Return the row that keeps a program; None if it cannot be kept."""
    metering = _metering()
    try:
        kept = metering.keep(program.spec.cls)
    except metering.NotKept:
        return None
    modules = tuple(
        (label, text.file, int(text.is_package), text.text, tuple(kept.constants[label].items()))
        for label, text in kept.texts.items()
    )
    row = zlib.compress(encode((kept.module, kept.name, modules)))
    allow(row, program.spec.name)
    return row


def _content(row: bytes) -> tuple[Any, ...]:
    """Return the module and the name of the class in a row, and the modules that it needs."""
    content: tuple[Any, ...] = decode(zlib.decompress(row))
    return content


def _class_in(row: bytes, digest: bytes) -> type:
    """Run the program in a row, and return its class."""
    metering = _metering()
    try:
        module, name, modules = _content(row)
        texts = {
            label: metering.Text(file, bool(is_package), text)
            for label, file, is_package, text, _ in modules
        }
        constants = {label: dict(values) for label, *_, values in modules}
    except (zlib.error, ValueError, TypeError) as error:
        raise metering.NotKept(f"what the file keeps of it cannot be read: {error}") from None
    kept = metering.Kept(module, name, digest, texts, constants)
    cls: type = uninterrupted(in_turn, metering.run_kept, kept)
    return cls


# The list of what this user deployed


def list_of_deployed() -> Path:
    """Return the file with a line for each program that this user deployed, whether it is there or not."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state, "boardchain", "deployed")


def allow(row: bytes, name: str) -> None:
    """Record that this user deployed the program in a row, if the list can be written."""
    with suppress(OSError):
        if not is_allowed(row):
            file = list_of_deployed()
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(file, "a", encoding="utf-8", opener=partial(os.open, mode=0o600)) as lines:
                lines.write(f"{raw_fingerprint(row).hex()} {name}\n")


def is_allowed(row: bytes) -> bool:
    """Return True if this user deployed the program in a row. A list that others may write to does not count."""
    file, mark = list_of_deployed(), raw_fingerprint(row).hex()
    with suppress(OSError, ValueError):
        if is_safe(file.parent) and is_safe(file):
            return any(line.startswith(mark) for line in file.read_text("utf-8").splitlines())
    return False


# Running


class DeployedPrograms:
    """The contracts that were deployed on a chain: imported classes that are as they were then, or what was kept of them."""

    def __init__(self, ledger: Ledger, read: Callable[[bytes], bytes | None], trust: bool) -> None:
        self._ledger, self._read, self._trust = ledger, read, trust

    def find(self, digest: bytes) -> Program | None:
        """Return the contract with that digest. If it does not run here, note the reason and return None."""
        artifact = self._ledger.artifacts.get(digest)
        if artifact is None:
            return None
        row = self._read(digest)
        is_own = row is not None and is_allowed(row)
        if row is not None and is_own:
            module, *_ = _content(row)
            if module == artifact.module and module not in sys.modules:  # it was no script
                with suppress(Exception, SystemExit):  # it is not here any more, or broken
                    uninterrupted(in_turn, import_module, module)
        present = imported_program(artifact)
        if present is not None and present.digest == digest:
            return frozen(present)
        if row is None:
            return None
        kept = self._kept(artifact.name, digest, row if is_own or self._trust else None)
        if kept is not None and present is not None:
            warn_of_edit(self._ledger, present)
        return kept

    def _kept(self, name: str, digest: bytes, row: bytes | None) -> Program | None:
        """Return the program in a row; `row` is None if it may not run."""
        problem = (
            f"the file holds the sources of {name}, which run only if you deployed them or allow them, "
            "with Chain.open(…, trust=True) or --trust"
        )
        try:
            if row is not None:
                return frozen(program_of(_class_in(row, digest)))
        except _metering().NotKept as error:
            problem = str(error)
        self._ledger.programs.reasons[digest] = problem
        return None


def imported_program(artifact: Artifact) -> Program | None:
    """Return the program of the imported class with the name of a deployed one, in any version."""
    cls = class_at(artifact.full_name)
    with suppress(DeclarationError, TypeError):  # edited since its import, or no contract
        return None if cls is None else program_of(cls)
    return None


def frozen(program: Program) -> Program:
    """Return a program whose constants refuse changes from now on."""
    findings_of(program.spec.cls)
    return program
