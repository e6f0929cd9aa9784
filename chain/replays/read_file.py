"""Files of transcripts, and transcripts of the files of chains."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from chain.replays.recorder import Through, record
from chain.replays.transcript import BadTranscript
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import Chain

_DATABASE: Final = b"SQLite format 3\0"


class Recording(NamedTuple):
    """A transcript, and the same play as text for people."""

    text: str
    activity: str = ""

    def write(self, path: Path) -> None:
        """Write the transcript. Beside a file that ends in `.jsonl` the activity goes into one that ends in `.txt`."""
        path.write_bytes(self.text.encode())
        if path.suffix == ".jsonl":
            path.with_suffix(".txt").write_bytes(self.activity.encode())


def recording_of(chain: Chain, through: Through = iter) -> Recording:
    return Recording(record(chain, through=through), chain.activity())


def is_chain(path: Path) -> bool:
    """Return True if the file is that of a chain."""
    with path.open("rb") as file:
        return file.read(len(_DATABASE)) == _DATABASE


def recording_in(path: Path, offered: ContractCatalogue, through: Through = iter) -> Recording:
    """Return the transcript in a file, or that of the chain in it, whose blocks go `through` a progress bar.

    Another process may have the file open. Its chain is read as of one moment.
    """
    if not is_chain(path):
        try:
            return Recording(path.read_bytes().decode())
        except UnicodeDecodeError:
            raise BadTranscript(1, "this is neither a transcript nor the file of a chain") from None
    with Chain.watch(path, check=True) as chain, chain.lock:
        for contract in offered.classes:
            chain.declare(contract)
        return recording_of(chain, through)
