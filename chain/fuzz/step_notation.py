"""Steps as lines of text that can be read again: `alice: race.roll(0) with 5 wei`, values in the notation of transcripts.

A corpus is stored in this form. It survives edits of the contract: a line that is no longer valid ends its play there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from chain.abi import BadData
from chain.crypto.accounts import Account
from chain.fuzz.fuzz_case import Fuzz
from chain.fuzz.steps import Call, PlannedDeployment, Step, Wait
from chain.replays.known_names import NameRegistry
from chain.replays.notation import BadValue, ExactFormatter, read_args
from chain.runtime.contract import Contract
from chain.spec.contracts import EntrySpec
from chain.types import Address

_WAIT: Final = re.compile(r"wait (?P<seconds>\d+)s")
_SENT: Final = re.compile(
    r"(?P<sender>\S+): (?:deploy (?P<contract>\w+)|(?P<on>\w+)\.(?P<entry>\w+))\((?P<args>.*)\)(?: with (?P<value>\d+) wei)?",
    re.DOTALL,
)


class StepNotation:
    """Writes and reads the steps of one description."""

    def __init__(self, play: Fuzz, targets: Mapping[str, type[Contract]]) -> None:
        self._targets, self._missing = targets, {each.__name__: each for each in play.missing}
        self._chain, self._known = play.chain, NameRegistry()
        for account in play.accounts:
            if isinstance(account, Account):
                self._known.add(account.name, account)
        for name, handle in play.handles.items():
            self._known.add(name, handle.address)
        self._formatter = ExactFormatter(self._known)

    def write(self, steps: Iterable[Step]) -> list[str]:
        return [self._line(step) for step in steps]

    def read(self, lines: Sequence[str]) -> tuple[Step, ...]:
        """Return the steps up to the first line that cannot be read."""
        steps: list[Step] = []
        for line in lines:
            step = self._step(line)
            if step is None:
                break
            steps.append(step)
        return tuple(steps)

    def _line(self, step: Step) -> str:
        match step:
            case Wait(seconds=seconds):
                return f"wait {seconds}s"
            case PlannedDeployment(contract=contract):
                head, spec = f"deploy {contract.__name__}", contract.__spec__.init
            case Call(on=on, entry=entry):
                head, spec = f"{on}.{entry}", self._targets[on].__spec__.entries[entry]
        values = step.args if spec is None else self._declared(spec, step.args)
        args = ", ".join(map(self._formatter.show, values))
        value = f" with {step.value} wei" if step.value else ""
        return f"{self._known.display(step.sender)}: {head}({args}){value}"

    def _declared(self, spec: EntrySpec, args: tuple[object, ...]) -> tuple[object, ...]:
        """Return arguments as the contract gets them: a record that was sent as a richer one of the author's, defaults too."""
        try:
            return spec.decode_args(spec.encode_args(args, {}, self._chain))
        except (TypeError, BadData):  # a call that no chain would take
            return args

    def _step(self, line: str) -> Step | None:
        if waited := _WAIT.fullmatch(line):
            return Wait(int(waited["seconds"]))
        sent = _SENT.fullmatch(line)
        sender = None if sent is None else self._known.find(sent["sender"])
        if sent is None or sender is None:
            return None
        try:
            return self._sent(sent, Address(sender), int(sent["value"] or 0))
        except (
            BadValue,
            LookupError,
        ):  # the contract has no such entry, or it takes something else
            return None

    def _sent(self, sent: re.Match[str], sender: Address, value: int) -> Step:
        args: tuple[object, ...]
        if sent["contract"] is not None:
            contract = self._missing[sent["contract"]]
            init = contract.__spec__.init
            args = read_args(sent["args"], () if init is None else init.params, self._known)
            return PlannedDeployment(contract, args, sender, value)
        entry = self._targets[sent["on"]].__spec__.entries[sent["entry"]]
        args = read_args(sent["args"], entry.params, self._known)
        return Call(sent["on"], entry.name, args, sender, value)
