"""The folder of a chain, which holds everything that was deployed to it:

    deployments/games/chain.json           which chain this is
    deployments/games/plans/deploy.json    the journal of a plan
    deployments/games/addresses.json       the address book, for a front end

A folder is found by its chain, not by its name: it belongs to the chain with the same first block that has the first
transaction of its journals. So the working directory does not matter, nor how the address of the node is written.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from getpass import getuser
from itertools import chain as joined
from itertools import count
from pathlib import Path
from tempfile import gettempdir
from typing import Final
from urllib.parse import urlsplit

from chain.crypto.hashing import keccak
from chain.deployment.journal import Journal, Record, find, is_on_chain, read_json, write_json
from chain.ledger.file.lock import Lock, LockHeld
from chain.ledger.sql.json_values import to_hex
from chain.simulator.chain import MEMORY, Chain

FOLDER: Final = "deployments"
_CHAIN: Final = "chain.json"
_LOCAL: Final = ("localhost", "::1", "0.0.0.0")


class ChainWasReset(ValueError):
    """The chain at this location does not have the transactions of its journals."""


class DeploymentUnderWay(ValueError):
    """Another process deploys to the chain."""


@dataclass(frozen=True)
class ChainFolder:
    """The folder of a chain, which may not exist yet; a chain in memory has none."""

    path: Path | None
    identity: Mapping[str, object]  # the content of `chain.json`
    was_reset: bool = False  # the folder of that name has the journals of an earlier chain

    @property
    def plans(self) -> list[str]:
        """The names of the plans that were applied to the chain."""
        if self.path is None or self.was_reset:
            return []
        return sorted(path.stem for path in self.path.glob("plans/*.json"))

    def journal(self, plan: str, parameters: Mapping[str, str] | None = None) -> Journal:
        """Return the journal of a plan on this chain."""
        if self.path is None or self.was_reset:
            return Journal(None, parameters)
        others = [Journal(self._file(other)).known for other in self.plans if other != plan]
        return Journal(self._file(plan), parameters, frozenset().union(*others))

    def _file(self, plan: str) -> Path:
        assert self.path is not None
        return self.path / "plans" / f"{plan}.json"

    def begin(self) -> ChainFolder:
        """Move the folder of an earlier chain aside, and record which chain this is."""
        if self.path is None:
            return self
        file = self.path / _CHAIN
        if self.was_reset:
            write_json(file, {**read_json(file), "at": None})
            numbered = (Path(f"{self.path}.{number}") for number in count(1))
            self.path.rename(next(path for path in numbered if not path.exists()))
        if read_json(file) != self.identity:
            write_json(file, self.identity)
        return ChainFolder(self.path, self.identity)


def find_folder(base: Path, chain: Chain, where: str) -> ChainFolder:
    """Return the folder of a chain that was opened at `where`."""
    if where == MEMORY:
        return ChainFolder(None, {})
    genesis, place = to_hex(chain.block_hash(0)), _place(where)
    is_file = "://" not in place
    at = Path(os.path.relpath(place, base.resolve())).as_posix() if is_file else place
    identity = {"chainId": chain.chain_id, "genesis": genesis, "at": at}
    folders = chain_folders(base)
    there = next((path for path, kept in folders if kept["at"] == at), None)
    fitting = [
        path for path, kept in folders if kept["genesis"] == genesis and _has_history(path, chain)
    ]
    if fitting:
        return ChainFolder(there if there in fitting and there else fitting[0], identity)
    if there is not None:
        was_reset = any(journal.records for journal in _journals(there))
        return ChainFolder(there, identity, was_reset)
    name = Path(place).stem if is_file else urlsplit(place).netloc.replace(":", "-")
    numbered = (base / f"{name}-{number}" for number in count(2))
    # A killed run may have left a folder without its chain.
    unused = (path for path in joined([base / name], numbered) if not (path / _CHAIN).exists())
    return ChainFolder(next(unused), identity)


def chain_folders(base: Path) -> list[tuple[Path, Record]]:
    """Return the folders of all chains, each with the content of `chain.json`."""
    return [(path.parent, read_json(path)) for path in sorted(base.glob(f"*/{_CHAIN}"))]


@contextmanager
def locked(base: Path, chain: Chain, where: str) -> Iterator[ChainFolder]:
    """Scope in which no other process of this machine deploys to the chain, from any folder."""
    if where == MEMORY:
        yield find_folder(base, chain, where)
        return
    lock = Lock(_lock_of(chain, where))
    try:
        lock.take()
    except LockHeld as holder:
        raise DeploymentUnderWay(
            f"{holder} is deploying to this chain: nothing was sent; wait until it has ended"
        ) from None
    except sqlite3.DatabaseError as problem:
        raise ValueError(f"nothing was sent, for lack of the lock {lock.path}: {problem}") from None
    try:
        yield find_folder(base, chain, where)  # another process may have deployed meanwhile
    finally:
        lock.release()


def _lock_of(chain: Chain, where: str) -> Path:
    """Return the path of the lock of a chain: that of its ledger in a node, however that is spelled, or of its file."""
    place = chain.driver.ledger_token or f"{to_hex(chain.block_hash(0))} {_place(where)}"
    user = os.getuid() if hasattr(os, "getuid") else getuser()
    name = f"boardchain-{user}-{keccak(place.encode()).hex()[:32]}"
    return Path(gettempdir(), name)


def default_base(start: Path) -> Path:
    """Return the folder for the deployments of a script or a working directory.

    It is in the nearest parent of `start` that already has deployments, otherwise in the project around `start`. Without a
    project it is in the working directory, if that contains `start`.
    """
    start, here = start.resolve(), Path.cwd()
    for folder in (start, *start.parents):
        is_project = any((folder / mark).exists() for mark in ("pyproject.toml", ".git"))
        if is_project or chain_folders(folder / FOLDER):
            return folder / FOLDER
    return (here if here in start.parents else start) / FOLDER


def _has_history(folder: Path, chain: Chain) -> bool:
    """Return True if the chain has a transaction of the journals, or one that a killed run announced."""
    return any(
        any(is_on_chain(chain, record) for record in journal.records.values())
        or (journal.sending is not None and find(journal.sending, chain) is not None)
        for journal in _journals(folder)
    )


def _journals(folder: Path) -> list[Journal]:
    return [Journal(path) for path in sorted(folder.glob("plans/*.json"))]


def _place(where: str) -> str:
    """Return the whole path of the file of a chain, or the address of its node, spelled in one way."""
    if "://" not in where:
        return str(Path(where).resolve())
    parts = urlsplit(where)
    host = (parts.hostname or "").replace(":", "_")
    host = "127.0.0.1" if parts.hostname in _LOCAL else host
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.scheme}://{host}:{port}{parts.path.rstrip('/')}"
