"""The code of a game at another revision or in another folder, where players can play it in addition to the present code.

Only the game's own package is taken, `contracts` of `contracts.blokus`: it plays on the present chain. It is cached in a
folder named by its digest, so nobody changes it while it is played.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from chain.arena.plan import Plan
from chain.foundation.dataclass import dataclass
from chain.replays.subprocess_runs import subprocess_env
from chain.source.disk_cache import cache_folder
from chain.source.own_modules import files_below


class NoVersion(ValueError):
    """There is no such version of the game, or it cannot be played."""


@dataclass(frozen=True)
class RulesVersion:
    """A version of a game: its name, the location of its code, and its plan."""

    name: str  # also that of the folder of its results
    root: Path
    plan: Plan


def version_of(plan: Plan, where: str) -> RulesVersion:
    """Return the version of a plan's game at a revision of Git, or in a folder that has the game's package."""
    folder = Path(where)
    if folder.is_dir():
        name, code = folder.resolve().name, code_of(plan.target, folder)
    else:
        name, code = _at_revision(plan.target, where)
    root = unpacked(code)
    other = _plan_at(root, plan)
    if other.digest == plan.digest:
        raise NoVersion(f"{where} has the same code of {plan.target}: there is nothing to compare")
    safe = re.sub(r"[^\w.-]", "-", name)
    return RulesVersion(f"{safe}-{other.digest[:8]}", root, other)


def code_of(target: str, root: Path | None = None) -> bytes:
    """Return the package of a game, from that folder or from here, as a ZIP, with the same bytes everywhere."""
    home, buffer = root or _home_of(target), io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for file in _files(home, target.partition(".")[0]):
            name = ZipInfo(file.relative_to(home).as_posix())
            archive.writestr(name, file.read_bytes(), ZIP_DEFLATED)
    return buffer.getvalue()


def folder_of(digest: str) -> Path:
    """Return the folder in the cache for code of that digest."""
    return cache_folder() / digest


def unpacked(code: bytes) -> Path:
    """Return the folder in which this ZIP is unpacked; its name is the digest."""
    folder = folder_of(sha256(code).hexdigest()[:32])
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent) as temporary:
            made = Path(temporary) / "code"
            with ZipFile(io.BytesIO(code)) as archive:
                archive.extractall(made)
            try:
                made.rename(folder)
            except OSError:  # another process was faster
                assert folder.exists()
    return folder


def env_at(root: Path | None, hash_seed: int = 0) -> dict[str, str]:
    """Return the environment of a process that finds a game's code in that folder, and all else where this one does."""
    env = subprocess_env(hash_seed)
    if root is not None:
        env["PYTHONPATH"] = os.pathsep.join((str(root), env["PYTHONPATH"]))
    return env


def _at_revision(target: str, revision: str) -> tuple[str, bytes]:
    home = _home_of(target)
    words = ("--short", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    found = _git(home, "rev-parse", *words)
    if found is None:
        raise NoVersion(f"{revision} is neither a folder nor a revision of Git in {home}")
    commit = found.decode().strip()
    package = target.partition(".")[0]
    path = package if (home / package).is_dir() else f"{package}.py"
    code = _git(home, "archive", "--format=zip", commit, "--", path)
    if code is None:
        raise NoVersion(f"{revision} has no {path}")
    return commit, code


def _git(folder: Path, *words: str) -> bytes | None:
    """Return what Git writes, None if it refuses."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
    except FileNotFoundError:
        raise NoVersion("revisions need Git, which is not installed: name a folder") from None
    return None if done.returncode else done.stdout


def _home_of(target: str) -> Path:
    """Return the folder that has the package of a game."""
    package = target.partition(".")[0]
    spec = find_spec(package)
    places = [] if spec is None else spec.submodule_search_locations or [spec.origin or ""]
    for place in places:
        return Path(place).resolve().parent
    raise NoVersion(f"there is no package {package} here")


def _files(home: Path, package: str) -> Iterator[Path]:
    if (home / f"{package}.py").is_file():
        yield home / f"{package}.py"
    elif not (home / package).is_dir():
        raise NoVersion(f"there is no package {package} in {home}")
    yield from sorted(filter(Path.is_file, files_below(home / package)))


def _plan_at(root: Path, plan: Plan) -> Plan:
    """Return the plan with the digest of the code in this folder."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"from {__name__} import _answer; _answer()"],
        input=json.dumps(asdict(plan)), encoding="utf-8",
        capture_output=True, cwd=root, env=env_at(root), check=False,
    )  # fmt: skip
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no output"]
        raise NoVersion(f"that version cannot be played: {lines[-1]}")
    return Plan.from_json(json.loads(done.stdout.splitlines()[-1]))


def _answer() -> None:
    """Read a plan, and write it with the digest of the code that this process finds."""
    record: dict[str, Any] = json.loads(sys.stdin.read())
    target, strategies, _ = (record.pop(name) for name in ("target", "strategies", "digest"))
    print(json.dumps(asdict(Plan.of(target, strategies, **record))))
