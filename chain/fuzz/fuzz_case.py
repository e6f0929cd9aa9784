"""How a contract is to be fuzzed: what to deploy, what must hold after every call, which calls are worth trying.

A description is a class. It says `contracts`, or has a `set_up` that deploys them; methods marked `@invariant` assert what
must hold whoever calls whatever; methods marked `@proposes("entry")` give arguments that mean something, legal moves above
all, which are then mixed with random ones. Describing takes nothing but the chain, so a description may stand beside its game;
only `run` needs Hypothesis.

An invariant looks at the chain and remembers nothing itself: what was before the last transaction stands in `self.before`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from chain.accounts import ACCOUNTS
from chain.accounts import Account as Named
from chain.fuzz.steps import is_misfit_of_result
from chain.machine.frame import Failure
from chain.runtime.contract import Contract
from chain.simulator.chain import Chain
from chain.simulator.handle import Handle
from chain.simulator.past import ChainAtBlock
from chain.spec.contracts import REQUIRED
from chain.types import Address

if TYPE_CHECKING:
    from chain.fuzz.report import Report

F = TypeVar("F", bound=Callable[[Any], Any])


def invariant(function: F) -> F:
    """Marks a method that asserts what must hold after every call."""
    function.__invariant__ = True  # type: ignore[attr-defined]
    return function


def proposes(entry: str) -> Callable[[F], F]:
    """Marks a method that gives arguments for an entry: tuples, or `by(sender, …)` where the sender matters.

    `entry` is its name, or `Contract.entry` where several contracts have one of that name.
    """
    if not isinstance(entry, str):
        raise TypeError('say which entry it proposes calls of: @proposes("make_move")')

    def mark(function: F) -> F:
        function.__proposes__ = entry  # type: ignore[attr-defined]
        return function

    return mark


@dataclass(frozen=True, slots=True)
class Proposal:
    """Arguments for an entry, and who should send them if not anyone."""

    args: tuple[Any, ...]
    sender: Address | None = None
    value: int = 0


def by(sender: Address, *args: Any, value: int = 0) -> Proposal:
    """A proposed call of this very sender."""
    return Proposal(args, sender, value)


class Fuzz:
    """Derive from it and say what is fuzzed; an instance is one play on one chain."""

    contracts: ClassVar[Sequence[type[Contract]]] = ()
    callers: ClassVar[int | Sequence[str]] = 3  # how many of the chain's accounts, or their names
    excluded: ClassVar[Sequence[str]] = ()  # entries that are not called
    time_passes: ClassVar[bool] = True  # whether time passes
    of_module: ClassVar[str] = ""  # the module with a World that nobody has described

    def __init__(self, chain: Chain | None = None) -> None:
        self.chain = Chain() if chain is None else chain
        self.accounts: list[Address] = _callers(self.chain, self.callers)
        self.handles: dict[str, Handle] = {}
        self.missing: list[type[Contract]] = []  # contracts that wait for arguments
        self.set_up()

    def set_up(self) -> None:
        """Deploys the contracts, once for all plays; where `@init` takes arguments, each play does, with random ones."""
        for contract in self.contracts:
            if takes_arguments(contract):
                self.missing.append(contract)
            else:
                self.deploy(contract)

    def clone(self) -> Self:
        """The same, for another play from where this one was set up."""
        made = copy(self)
        made.handles, made.missing = dict(self.handles), list(self.missing)
        return made

    def deploy(
        self, contract: type[Contract], *args: Any, sender: Address | None = None, value: int | None = None
    ) -> Handle:  # fmt: skip
        """Deploy a contract whose entries are to be called."""
        who = self.accounts[0] if sender is None else sender
        handle = self.chain.deploy(contract, *args, sender=who, value=value)
        self.include(handle)
        if contract in self.missing:
            self.missing.remove(contract)
        return handle

    def include(self, *handles: Handle) -> None:
        """Entries of these contracts are to be called, which were deployed in a way of their own."""
        for handle in handles:
            name = base = variable(handle.contract.__name__)
            while name in self.handles:
                name = f"{base}_{len(self.handles) + 1}"
            self.handles[name] = handle

    @property
    def handle(self) -> Handle:
        """The first of the contracts."""
        if not self.handles:
            raise LookupError(
                f"{type(self).__name__} has no contract: say 'contracts = (Game,)', or deploy in set_up"
            )
        return next(iter(self.handles.values()))

    @property
    def named(self) -> dict[str, Address]:
        """The accounts by what `caller_id` is for them."""
        return {name_of(account): account for account in self.accounts}

    @property
    def past(self) -> ChainAtBlock:
        """The chain as it was before the last transaction."""
        return self.chain.at(max(0, self.chain.head.number - 1))

    @property
    def before(self) -> Handle:
        """The first contract as it was before the last transaction; its views and fields can be read."""
        return self.past.handle(self.handle)

    def is_finding(self, failure: Failure) -> bool:
        """Whether a failed call is a mistake in the contract: here a Python exception, or a result that does not fit."""
        return failure.kind == "exception" or is_misfit_of_result(failure)

    @classmethod
    def invariants(cls) -> list[str]:
        return _marked(cls, "__invariant__")

    @classmethod
    def proposers(cls) -> list[tuple[str, str]]:
        """Methods that propose, each with the entry it is for."""
        names = _marked(cls, "__proposes__")
        return [(name, getattr(cls, name).__proposes__) for name in names]

    @classmethod
    def run(
        cls, max_examples: int = 100, steps: int = 30, seed: int = 0, lines: bool = True
    ) -> Report:
        """Look for a sequence of calls that breaks something; raises `Finding` with the shortest one.

        The same arguments give the same calls each time. `lines` steers towards unseen lines too, at the price of a trace.
        """
        report: Report = _runner().run(cls, max_examples, steps, seed, lines)
        return report


class NoHypothesis(ImportError):
    """Fuzzing stands on Hypothesis, which a chain in use does not need."""

    def __init__(self) -> None:
        super().__init__("fuzzing needs Hypothesis, which is not installed: pip install hypothesis")


def _runner() -> Any:
    try:
        return import_module("chain.fuzz.runner")
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] == "hypothesis":
            raise NoHypothesis from None
        raise


def proposals_of(play: Fuzz, method: str) -> list[Proposal]:
    """What a method proposes now."""
    made: Iterable[Any] = getattr(play, method)() or ()
    found = []
    for each in made:
        if not isinstance(each, tuple | Proposal):
            raise TypeError(
                f"{type(play).__name__}.{method} proposed {each!r}: give the arguments as a tuple, or by(sender, …)"
            )
        found.append(each if isinstance(each, Proposal) else Proposal(each))
    return found


def takes_arguments(contract: type[Contract]) -> bool:
    init = contract.__spec__.init
    return init is not None and REQUIRED in init.defaults


def variable(name: str) -> str:
    """A name for a variable that holds what is called `name`: `PlayerProfile` is `player_profile`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"\W+", "_", words).strip("_").lower()


def name_of(account: Address) -> str:
    """What `caller_id` is for this account: the name it was given, or else its address."""
    if isinstance(account, Named) and account not in ACCOUNTS:
        return account.name
    return str(account)


def _callers(chain: Chain, callers: int | Sequence[str]) -> list[Address]:
    if isinstance(callers, int):
        return list(chain.accounts[:callers])
    return [chain.account(name) for name in callers]


def _marked(cls: type, mark: str) -> list[str]:
    """Methods with that mark, in the order in which they were written, parents first."""
    names = [name for parent in reversed(cls.__mro__) for name in vars(parent)]
    return [name for name in dict.fromkeys(names) if hasattr(getattr(cls, name), mark)]
