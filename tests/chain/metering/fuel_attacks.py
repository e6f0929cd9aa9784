"""The programs of `fuel_attacks.txt`, as contracts.

As a script it burns one of them with the gas of a block, and says what came."""

from __future__ import annotations

import importlib.util
import resource
import sys
import tempfile
import textwrap
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from chain import Chain
from chain.simulator.handle import Handle

PROGRAMS = Path(__file__).parent / "fuel_attacks.txt"
_HEAD = "from chain import Contract, call\n"
_CLASS = "\n\nclass Bomb(Contract):\n"
_ENTRY = "    @call\n    def go(self) -> None:\n"


@cache
def programs() -> dict[str, str]:
    """Their sources, by name."""
    found = {}
    for part in PROGRAMS.read_text().split("\n= ")[1:]:
        name, _, text = part.partition("\n")
        top, _, body = text.partition("go:\n")
        inner = body.strip("\n")
        first = inner.strip()
        if first.startswith("import "):  # the guard wants it at the top, and so does the image
            top += first.partition("\n")[0] + "\n"
            inner = inner.partition("\n")[2]
        top, _, fields = top.partition("holds:\n")
        found[name] = f"{_HEAD}{top}{_CLASS}{fields}{_ENTRY}{textwrap.indent(inner, '    ')}\n"
    return found


def deployed(name: str, folder: Path) -> Handle:
    file = folder / f"bomb_{name}.py"
    file.write_text(programs()[name])
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return Chain(guard=False).deploy(module.Bomb)


@dataclass(frozen=True)
class Burnt:
    outcome: str
    ticks: int
    seconds: float
    megabytes: int


def burn(name: str) -> Burnt:
    with tempfile.TemporaryDirectory() as folder:
        bomb = deployed(name, Path(folder))
        start = time.process_time()
        receipt = bomb.go(check=False)
        seconds = time.process_time() - start
    error = receipt.error
    outcome = "ok" if error is None else f"{error.kind}: {error.text} {error.place}"
    return Burnt(outcome, receipt.ticks, seconds, _most_megabytes())


def _most_megabytes() -> int:
    """Return the most memory that this process had. On Linux, `ru_maxrss` includes that of the process which started it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(peak.split()[1]) // 1024


if __name__ == "__main__":
    burnt = burn(sys.argv[1])
    print(f"{burnt.seconds:.2f}\t{burnt.megabytes}\t{burnt.ticks}\t{burnt.outcome}")
