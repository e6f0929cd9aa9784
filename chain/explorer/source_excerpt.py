"""The lines of source around the location of a failure.

A chain made by somebody else may name any file as the location. So only files of declared contracts' packages are read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from chain.foundation.dataclass import dataclass
from chain.machine.failure import Failure
from chain.metering.program import Program

_BEFORE, _AFTER = 5, 3
_LONGEST: Final = 1 << 20  # bytes of a file that is read


@dataclass(frozen=True, slots=True)
class SourceLine:
    number: int
    text: str
    is_hit: bool


def excerpt(failure: Failure, programs: Iterable[Program]) -> list[SourceLine]:
    """Return the lines around the location of a failure; none if the file does not belong to a declared contract."""
    if failure.file is None or failure.line is None or failure.line < 1:
        return []
    file = Path(failure.file).resolve()
    if not any(_holds(place, file) for place in _places(programs)):
        return []
    if not file.is_file() or file.stat().st_size > _LONGEST:
        return []
    lines = file.read_text("utf-8", "replace").splitlines()
    first = max(0, failure.line - 1 - _BEFORE)
    shown = lines[first : failure.line + _AFTER]
    return [
        SourceLine(number, text, number == failure.line)
        for number, text in enumerate(shown, first + 1)
    ]


def _places(programs: Iterable[Program]) -> Iterator[Path]:
    """Yield the folder of each contract's package; of a contract outside of packages, its file."""
    for program in programs:
        module = sys.modules.get(program.spec.cls.__module__)
        file = getattr(module, "__file__", None)
        if module is not None and file is not None:
            path = Path(file).resolve()
            yield path.parent if module.__package__ else path


def _holds(place: Path, file: Path) -> bool:
    return file == place or (file.suffix == ".py" and place in file.parents)
