"""Edits that are not deployed: a chain goes on running the deployed version, and says so once."""

from __future__ import annotations

import sys
import warnings
from typing import Final
from weakref import WeakKeyDictionary

from chain.ledger.artifacts import artifact_of
from chain.ledger.ledger import Ledger
from chain.metering.program import Program

_told: Final = WeakKeyDictionary[Ledger, set[str]]()  # by their full names


class EditNotDeployed(UserWarning):
    """A contract class was edited after it was deployed: the chain goes on running the deployed version."""


def are_versions(one: Program, other: Program) -> bool:
    """Return True for two versions of one class."""
    return artifact_of(one).full_name == artifact_of(other).full_name


def acknowledge_edit(ledger: Ledger, program: Program) -> None:
    """Say nothing of an edit that is about to be deployed."""
    _told.setdefault(ledger, set()).add(artifact_of(program).full_name)


def warn_of_edit(ledger: Ledger, program: Program) -> None:
    """Say that a declared class was edited after its deployment, if the edit was never deployed on this chain."""
    name = artifact_of(program).full_name
    told, artifacts = _told.setdefault(ledger, set()), ledger.artifacts
    if program.digest in artifacts or name in told:
        return
    if all(artifact.full_name != name for artifact in artifacts.values()):
        return
    told.add(name)
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals["__name__"].partition(".")[0] == "chain":
        frame, level = frame.f_back, level + 1  # to the line of the author
    warnings.warn(
        f"{program.spec.name} was edited after it was deployed, and the chain goes on running the deployed version:"
        " 'boardchain deploy … --upgrade' or chain.upgrade replaces it by the edited one, '--beside' or chain.deploy adds that"
        " as another contract; a running node learns of it by 'boardchain reload'",
        EditNotDeployed,
        stacklevel=level,
    )
