"""Which record of the journal belongs to which step of the plan.

A contract, or a step with its own name, is found by name, any other call by its target and arguments. The rest is compared
less and less strictly: a renamed step sent the same data, a changed call called the same entry. So a step may be moved
anywhere in the plan, and only new steps are sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from chain.deployment.journal import REPLACED, Record, data_text
from chain.deployment.stand_ins import StandIns
from chain.deployment.step import Step
from chain.foundation.dataclass import dataclass
from chain.ledger.sql.json_values import to_hex
from chain.types import Address

Fits: TypeAlias = Callable[[Step, str, Record], bool]


@dataclass(frozen=True)
class Match:
    """The name of a step in the journal, and its record if it has one."""

    name: str
    record: Record | None


def match(
    steps: Sequence[Step], records: Mapping[str, Record], stand_ins: StandIns
) -> tuple[list[Match], dict[str, Record]]:
    """Return the match of each step, and the records that no step matches."""
    found = _find(steps, records, stand_ins)
    gone = {
        name: record
        for name, record in records.items()
        if name not in found.values() and record["status"] != REPLACED
    }
    taken = {*gone, *(step.name for step in steps if step.is_named)}
    taken |= {name for name, record in records.items() if record["status"] == REPLACED}
    matches = []
    for i, step in enumerate(steps):
        old = found.get(i)
        name = step.name if step.is_named else _free(step.what, taken)
        taken.add(name)
        matches.append(Match(name, None if old is None else records[old]))
    return matches, gone


def _find(
    steps: Sequence[Step], records: Mapping[str, Record], stand_ins: StandIns
) -> dict[int, str]:
    """Return the old name of the record of each step that has one, by the position of the step."""
    found: dict[int, str] = {}
    free = {name: each for name, each in records.items() if each["status"] != REPLACED}

    def claim(i: int, name: str) -> None:
        found[i], record, placeholder = name, free.pop(name), steps[i].placeholder
        if placeholder is not None:
            stand_ins.enter(placeholder, Address(record["address"]))

    def claim_each(fits: Fits, *, creates: bool) -> None:
        for i, step in enumerate(steps):
            if i in found or (step.to is None) != creates:
                continue
            for name, record in free.items():
                if (record["to"] is None) == creates and fits(step, name, record):
                    claim(i, name)
                    break

    def has_sent(step: Step, name: str, record: Record) -> bool:
        return _has_sent(step, record, stand_ins)

    for fits in (_has_name, has_sent):
        claim_each(fits, creates=True)
    for fits in (_has_name, has_sent, _is_same, _is_alike):
        claim_each(fits, creates=False)
    pairs = [
        (_likeness(step, record, stand_ins), i, name)
        for i, step in enumerate(steps)
        for name, record in free.items()
        if i not in found and _has_target(step, record)
    ]
    for _, i, name in sorted(pairs, key=lambda pair: pair[0], reverse=True):
        if i not in found and name in free:
            claim(i, name)
    return found


def _free(name: str, taken: set[str]) -> str:
    """Return the name, with a number if it is taken."""
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name}#{count}"
    return free


def _has_name(step: Step, name: str, record: Record) -> bool:
    return step.is_named and step.name == name


def _has_sent(step: Step, record: Record, stand_ins: StandIns) -> bool:
    """True if the transaction of the record is what the step would send."""
    data = stand_ins.substitute(step.data)
    to = None if step.to is None else stand_ins.address(step.to)
    if data is None or (step.to is not None and to is None):
        return False
    call = to and to_hex(to), data_text(data)
    return call == (record["to"], record["data"]) and _has_sender(step, record)


def _has_sender(step: Step, record: Record) -> bool:
    same_value = int(record["value"]) == step.value
    return same_value and Address(record["sender"]) == step.sender


def _is_same(step: Step, name: str, record: Record) -> bool:
    return record["what"] == step.what and _has_sender(step, record)


def _is_alike(step: Step, name: str, record: Record) -> bool:
    return bool(record["what"] == step.what)


def _has_target(step: Step, record: Record) -> bool:
    """True if a call without a name calls the same as before: it has other arguments."""
    is_named = step.is_named or record["is_named"] or record["to"] is None
    return not is_named and bool(record["target"] == step.target)


def _likeness(step: Step, record: Record, stand_ins: StandIns) -> int:
    """Return the number of equal digits in the data."""
    data = data_text(stand_ins.substitute(step.data) or step.data)
    return sum(one == other for one, other in zip(data, record["data"], strict=False))
