"""Steps as lines of JSON that can be read again: `{"sender":"alice","to":"race","entry":"roll","args":{"times":3}}`.

A corpus is stored in this form, that of requests in transcripts. It survives edits of the contract: a line that is no longer
valid ends its play there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from chain.abi import BadData
from chain.abi.json_abi import JsonObject
from chain.crypto.accounts import Account
from chain.fuzz.fuzz_case import Fuzz
from chain.fuzz.steps import Call, PlannedDeployment, Step, Wait
from chain.ledger.sql.json_values import portable, to_json
from chain.replays.known_names import KnownNames
from chain.replays.transcript import whole
from chain.runtime.contract import Contract
from chain.spec.contracts import EntrySpec


class StepNotation:
    """Writes and reads the steps of one description."""

    def __init__(self, play: Fuzz, targets: Mapping[str, type[Contract]]) -> None:
        self._targets, self._missing = targets, {each.__name__: each for each in play.missing}
        self._chain, self._known = play.chain, KnownNames()
        for account in play.accounts:
            if isinstance(account, Account):
                self._known.add(account.name, account)
        for name, handle in play.handles.items():
            self._known.add(name, handle.address)

    def write(self, steps: Iterable[Step]) -> list[str]:
        return [to_json(self._told(step)) for step in steps]

    def read(self, lines: Sequence[str]) -> tuple[Step, ...]:
        """Return the steps up to the first line that cannot be read."""
        steps: list[Step] = []
        for line in lines:
            try:
                steps.append(self._step(json.loads(line)))
            except (ValueError, TypeError, LookupError):
                break
        return tuple(steps)

    def _told(self, step: Step) -> JsonObject:
        told: JsonObject
        match step:
            case Wait(seconds=seconds):
                return {"wait": seconds}
            case PlannedDeployment(contract=contract):
                told, entry = {"create": contract.__name__}, contract.__spec__.init
            case Call(on=on, entry=name):
                told, entry = {"to": on, "entry": name}, self._targets[on].__spec__.entries[name]
        names = [] if entry is None else [member.name for member in entry.params]
        args = step.args if entry is None else self._declared(entry, step.args)
        value = {"value": portable(step.value)} if step.value else {}
        told["args"] = self._known.members(dict(zip(names, args, strict=False)))
        return {"sender": self._known.address(step.sender), **told, **value}

    def _declared(self, entry: EntrySpec, args: tuple[object, ...]) -> tuple[object, ...]:
        """Return arguments as the contract gets them: a record that was sent as a richer one of the author's, defaults too."""
        try:
            return entry.decode_args(entry.encode_args(args, {}, self._chain))
        except (TypeError, BadData):  # a call that no chain would take
            return args

    def _step(self, told: JsonObject) -> Step:
        """Return a step. Raise an error if the contract has no such entry, or it takes something else."""
        if "wait" in told:
            return Wait(whole(told["wait"]))
        sender, value = self._known.find(told["sender"]), whole(told.get("value", 0))
        if "create" in told:
            contract = self._missing[told["create"]]
            args = self._known.read_args(contract.__spec__.init, told["args"])
            return PlannedDeployment(contract, args, sender, value)
        entry = self._targets[told["to"]].__spec__.entries[told["entry"]]
        return Call(
            told["to"], entry.name, self._known.read_args(entry, told["args"]), sender, value
        )
