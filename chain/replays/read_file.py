"""Reading of a file that is either a transcript or the file of a chain."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from chain.replays.recorder import Through, record
from chain.replays.transcript import BadTranscript
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import Chain

_DATABASE: Final = b"SQLite format 3\0"


def is_chain(path: Path) -> bool:
    """Return True if the file is that of a chain."""
    with path.open("rb") as file:
        return file.read(len(_DATABASE)) == _DATABASE


def text_of(path: Path, offered: ContractCatalogue, through: Through = iter) -> str:
    """Return the transcript in a file, or the transcript of the chain in it, whose blocks go `through` a progress bar.

    Another process may have the file open. Its chain is read as of one moment.
    """
    if not is_chain(path):
        try:
            return path.read_bytes().decode()
        except UnicodeDecodeError:
            raise BadTranscript(1, "this is neither a transcript nor the file of a chain") from None
    with Chain.watch(path, contracts=offered.classes, check=True) as chain, chain.lock:
        return record(chain, through=through)
