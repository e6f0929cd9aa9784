"""A description of how to fuzz a contract: what to deploy, what must hold after every call, which calls are worth trying.

A description is a class. It sets `contracts`, or has a `set_up` that deploys them. Methods marked `@invariant` assert what must
hold after any call by anyone. Methods marked `@proposes("entry")` return meaningful arguments, such as legal moves, which are
mixed with random ones.

An invariant reads the chain and keeps no state of its own. The state before the last transaction is in `self.before`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

from chain.crypto.accounts import Account as Named
from chain.foundation.dataclass import dataclass
from chain.fuzz.steps import is_misfit_of_result
from chain.machine.failure import Failure
from chain.runtime.contract import Contract
from chain.simulator.chain import Chain
from chain.simulator.handle import Handle
from chain.simulator.past import ChainAtBlock
from chain.spec.contracts import REQUIRED
from chain.types import Address
from chain.values.inputs import items

if TYPE_CHECKING:
    from chain.fuzz.report import Report

F = TypeVar("F", bound=Callable[..., object])


def invariant(function: F) -> F:
    """Mark a method that asserts what must hold after every call. It is not asked again after a refusal, which changes nothing.

    >>> class RaceFuzz(Fuzz):
    ...     contracts = (Race,)
    ...     @invariant
    ...     def rolls_are_those_of_a_die(self):
    ...         assert all(1 <= eyes <= 6 for eyes in self.handle.fields.rolls)
    >>> RaceFuzz.invariants()
    ['rolls_are_those_of_a_die']
    """
    function.__invariant__ = True  # type: ignore[attr-defined]
    return function


def proposes(entry: str) -> Callable[[F], F]:
    """Mark a method that returns arguments for an entry: tuples, or `by(sender, …)` where the sender matters.

    `entry` is the name of the entry, or `Contract.entry` if several contracts have one of that name.

    >>> class RaceFuzz(Fuzz):
    ...     contracts = (Race,)
    ...     @proposes("square_of")
    ...     def players(self):
    ...         return [(account,) for account in self.accounts]
    >>> RaceFuzz.proposers()
    [('players', 'square_of')]
    """
    if not isinstance(entry, str):
        raise TypeError('name the entry that it proposes calls of: @proposes("make_move")')

    def mark(function: F) -> F:
        function.__proposes__ = entry  # type: ignore[attr-defined]
        return function

    return mark


@dataclass(frozen=True, slots=True)
class Proposal:
    """Arguments for an entry, and the account that should send them, or None for any account.

    >>> Proposal((3,), sender=bob).value
    0
    """

    args: tuple[object, ...]  # the arguments of the call
    sender: Address | None = None  # the sender; None for any account
    value: int = 0  # the wei that come with the call


def by(sender: Address, *args: object, value: int = 0) -> Proposal:
    """Return a proposed call by this sender.

    >>> by(bob, 3, value=10).args
    (3,)
    """
    return Proposal(args, sender, value)


class Fuzz:
    """The base class of descriptions. An instance is one play on one chain.

    >>> class RaceFuzz(Fuzz):
    ...     contracts = (Race,)
    ...     @invariant
    ...     def nobody_goes_back(self):
    ...         assert self.handle.square_of(self.accounts[0]) >= self.before.square_of(self.accounts[0])
    >>> play = RaceFuzz()
    >>> play.handle, len(play.accounts), play.past, list(play.named)
    (<Race at 0x5FbD...>, 3, <Past at block 0>, ['alice', 'bob', 'carol'])
    """

    contracts: ClassVar[Sequence[type[Contract]]] = ()  # the contracts whose entries are called
    callers: ClassVar[int | Sequence[str]] = 3  # a number of the chain's accounts, or their names
    excluded: ClassVar[Sequence[str]] = ()  # entries that are never called
    time_passes: ClassVar[bool] = True  # true if a play may move the time forward
    of_module: ClassVar[str] = ""  # a module with a World but without a description

    def __init__(self, chain: Chain | None = None) -> None:
        self.chain = Chain() if chain is None else chain  # the chain of this play
        self.accounts: list[Address] = _callers(self.chain, self.callers)  # the callers
        self.handles: dict[str, Handle] = {}  # the contracts whose entries are called, by name
        self.missing: list[type[Contract]] = []  # contracts whose @init takes arguments
        self.set_up()

    def set_up(self) -> None:
        """Deploy the contracts once for all plays. Override it to deploy something else.

        Contracts whose `@init` takes arguments are deployed in each play, with random arguments.

        >>> class LeagueFuzz(Fuzz):
        ...     def set_up(self):
        ...         world = self.chain.deploy_world("league", systems=[League], writers={Score: [League]})
        ...         self.include(world.system(League))
        >>> LeagueFuzz().handles
        {'league': <League at 0xe7f1...>}
        """
        for contract in items(self.contracts, "contracts"):
            if takes_arguments(contract):
                self.missing.append(contract)
            else:
                self.deploy(contract)

    def clone(self) -> Self:
        """Return a copy for another play from the state after the set-up.

        >>> Fuzz().clone().handles
        {}
        """
        play = copy(self)
        play.handles, play.missing = dict(self.handles), list(self.missing)
        return play

    def deploy(
        self, contract: type[Contract], *args: object, sender: Address | None = None, value: int | None = None
    ) -> Handle:  # fmt: skip
        """Deploy a contract whose entries are to be called.

        >>> Fuzz().deploy(Race)
        <Race at 0x5FbD...>
        """
        account = self.accounts[0] if sender is None else sender
        handle = self.chain.deploy(contract, *args, sender=account, value=value)
        self.include(handle)
        if contract in self.missing:
            self.missing.remove(contract)
        return handle

    def include(self, *handles: Handle) -> None:
        """Add contracts that were deployed in another way. Their entries are called too.

        >>> Fuzz(chain).include(race)
        """
        for handle in handles:
            name = base = variable(handle.contract.__name__)
            while name in self.handles:
                name = f"{base}_{len(self.handles) + 1}"
            self.handles[name] = handle

    @property
    def handle(self) -> Handle:
        """The handle of the first contract. Raise LookupError if there is none."""
        if not self.handles:
            raise LookupError(
                f"{type(self).__name__} has no contract: write 'contracts = (Game,)', or deploy in set_up"
            )
        return next(iter(self.handles.values()))

    @property
    def named(self) -> dict[str, Address]:
        """The accounts by the value that `caller_id` has for them."""
        return {name_of(account): account for account in self.accounts}

    @property
    def past(self) -> ChainAtBlock:
        """The chain as it was before the last transaction."""
        return self.chain.at(max(0, self.chain.head.number - 1))

    @property
    def before(self) -> Handle:
        """The first contract as it was before the last transaction. Its views and fields can be read."""
        return self.past.handle(self.handle)

    def is_finding(self, failure: Failure) -> bool:
        """Return True if a failed call is a bug in the contract: a Python exception, or a result that does not fit its type.

        >>> Fuzz().is_finding(race.roll(value=1, check=False).error)
        False
        """
        return failure.kind == "exception" or is_misfit_of_result(failure)

    @classmethod
    def invariants(cls) -> list[str]:
        """Return the names of the methods marked `@invariant`.

        >>> Fuzz.invariants()
        []
        """
        return _marked(cls, "__invariant__")

    @classmethod
    def proposers(cls) -> list[tuple[str, str]]:
        """Return the names of the methods marked `@proposes`, each with its entry.

        >>> Fuzz.proposers()
        []
        """
        names = _marked(cls, "__proposes__")
        return [(name, getattr(cls, name).__proposes__) for name in names]

    @classmethod
    def run(
        cls, max_examples: int = 100, steps: int = 30, seed: int = 0, lines: bool = True,
        watch: Callable[[int], object] = int,
    ) -> Report:  # fmt: skip
        """Search for calls that break something. Raise `FuzzFailure` with the shortest sequence found.

        The same arguments always give the same calls. With `lines` the search is also steered towards unseen lines, at the cost
        of tracing each call. `watch` is called with 1 after each play.

        >>> class RaceFuzz(Fuzz):
        ...     contracts = (Race,)
        >>> RaceFuzz.run(max_examples=2, lines=False).examples
        2
        """
        report: Report = import_module("chain.fuzz.runner").run(
            cls, max_examples, steps, seed, lines, watch
        )
        return report


def proposals_of(play: Fuzz, method: str) -> list[Proposal]:
    """Return the calls that a method proposes now."""
    proposed: Iterable[object] = getattr(play, method)() or ()
    proposals = []
    for item in proposed:
        if not isinstance(item, tuple | Proposal):
            raise TypeError(
                f"{type(play).__name__}.{method} proposed {item!r}: return the arguments as a tuple, or by(sender, …)"
            )
        proposals.append(item if isinstance(item, Proposal) else Proposal(item))
    return proposals


def takes_arguments(contract: type[Contract]) -> bool:
    """Return True if a contract cannot be deployed without arguments."""
    init = contract.__spec__.init
    return init is not None and REQUIRED in init.defaults


def variable(name: str) -> str:
    """Return a variable name for something called `name`: `PlayerProfile` becomes `player_profile`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"\W+", "_", words).strip("_").lower()


def name_of(account: Address) -> str:
    """Return the value of `caller_id` for this account: its name, otherwise its address."""
    return account.name if isinstance(account, Named) else str(account)


def _callers(chain: Chain, callers: int | Sequence[str]) -> list[Address]:
    if isinstance(callers, int):
        return list(chain.accounts[:callers])
    return [chain.account(name) for name in callers]


def _marked(cls: type, mark: str) -> list[str]:
    """Return the methods with that mark in the order of their definition, those of parents first."""
    names = [name for parent in reversed(cls.__mro__) for name in vars(parent)]
    return [name for name in dict.fromkeys(names) if hasattr(getattr(cls, name), mark)]
