"""The preview of a script: it runs on a fork of the chain, with a draft of the journal.

It also shows which steps were done under another name: a renamed step sends the same as before, and a call without a name of
its own has other arguments. Then the script runs on another fork, with the present names in the draft.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from chain.deployment.deployment import Deployment
from chain.deployment.journal import Journal, Record
from chain.deployment.steps import CHANGED, CREATE, Step, target_of
from chain.simulator.chain import Chain

Script = Callable[[Deployment], object]


@dataclass
class Preview:
    """A deployment to a fork, and the error that ended it."""

    deployment: Deployment
    renamed: dict[str, str]  # the former names of steps, with the present ones
    failure: Exception | None = None


def preview(script: Script, chain: Chain, journal: Journal, **options: Any) -> Preview:
    """Run a script on a fork, with the options of a `Deployment`. Missing code on a node is refused."""
    copy, renamed = chain.fork(), dict[str, str]()
    for _ in range(len(journal.records) + 2):  # each time, a record at least finds its step
        draft = journal.draft()
        draft.rename(renamed)
        trial = Preview(Deployment(copy.fork(), draft, **options), renamed)
        try:
            script(trial.deployment)
        except Exception as failure:
            trial.failure = failure
        found = _renamed(trial)
        if not found:
            break
        renamed = {**renamed, **found}
    needed = [
        status.step.program
        for status in trial.deployment.steps
        if status.action in (CREATE, CHANGED) and status.step.program is not None
    ]
    chain.need_code(needed)
    return trial


def _renamed(trial: Preview) -> dict[str, str]:
    """Return the records that no step had, each with the name of the new step to which it belongs.

    If the script has failed, records may belong to the steps that it did not come to. Then only what the last step sends is
    looked for: it may have failed because it was done before.
    """
    steps, gone = trial.deployment.steps, trial.deployment.gone
    if trial.failure is not None:
        steps = [status for status in steps[-1:] if status.record is None]
    fresh = {status.name: status.step for status in steps if status.is_new}
    found: dict[str, str] = {}
    for fits in (_sends, _calls) if trial.failure is None else (_sends,):
        for old, record in () if found else gone.items():
            alike = {step.what: new for new, step in fresh.items() if fits(step, old, record)}
            for what in get_close_matches(record["what"], alike, 1, 0):
                found[old] = alike[what]
                del fresh[alike[what]]
    return found


def _sends(step: Step, name: str, record: Record) -> bool:
    """Return True if a step sends what was sent before."""
    names = ("sender", "to", "data", "value")
    return [record[name] for name in names] == [step.sent[name] for name in names]


def _calls(step: Step, name: str, record: Record) -> bool:
    """Return True if a call without a name calls the same entry as one before."""
    is_call = step.to is not None and record["to"] is not None
    is_named = not (step.name.startswith(step.what) and name.startswith(record["what"]))
    return is_call and not is_named and target_of(record["what"]) == target_of(step.what)
