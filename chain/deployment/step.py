"""A step of a plan, and the chain as its condition sees it."""

from __future__ import annotations

from collections.abc import Callable

from chain.deployment.stand_ins import StandIns
from chain.foundation.dataclass import dataclass
from chain.metering.program import Program, parse_initcode
from chain.runtime.contract import Contract
from chain.simulator.chain import Chain
from chain.simulator.handle import Handle, resolve_target
from chain.simulator.world_handle import WorldHandle
from chain.spec.contracts import EntrySpec
from chain.types import Address
from chain.values.inputs import AccountLike


class NotDeployedYet(LookupError):
    """A condition uses a contract that the plan has not deployed yet."""


class DeployedChain:
    """The chain for the condition of a step, which may call the contracts of the plan."""

    def __init__(self, chain: Chain, stand_ins: StandIns) -> None:
        self.chain, self._stand_ins = chain, stand_ins

    def handle(
        self, contract: type[Contract] | Handle, address: AccountLike | None = None
    ) -> Handle:
        """Return a handle for a contract of the plan, or for one that existed before."""
        cls, target = resolve_target(contract, address)
        return self.chain.handle(cls, self._address(target))

    def world(self, world: WorldHandle | AccountLike) -> WorldHandle:
        return self.chain.world(self._address(world))

    def balance(self, account: AccountLike) -> int:
        return self.chain.balance(self._address(account))

    def code(self, account: AccountLike) -> bytes:
        return self.chain.code(self._address(account))

    def _address(self, account: AccountLike) -> Address:
        address = self._stand_ins.address(self.chain.address_of(account))
        if address is None:
            raise NotDeployedYet("this contract of the plan is not deployed yet")
        return address


Condition = Callable[[DeployedChain], object]


@dataclass(frozen=True)
class Step:
    """One transaction of a plan."""

    name: str
    what: str  # the contract or the call with its arguments, as text
    is_named: bool  # a call whose name is not derived from its target
    sender: Address
    to: Address | None  # None: create a contract
    data: bytes
    value: int
    gas: int | None
    program: Program | None  # the class of the contract that is created or called
    entry: EntrySpec | None
    placeholder: Address | None  # the placeholder for the address of the created contract
    unless: Condition | None = None  # true on a chain where the call is not needed
    error: None = None  # a plan never fails, so it can be used like a receipt

    @property
    def address(self) -> Address | None:
        """The address of the contract that is called, or the placeholder of the one that is created."""
        return self.placeholder if self.to is None else self.to

    @property
    def target(self) -> str:
        """The target of the call, without the arguments."""
        return self.what.partition("(")[0]

    @property
    def init_args(self) -> bytes:
        """The encoded arguments of a contract that is created."""
        parsed = parse_initcode(self.data)
        return self.data if parsed is None else parsed[1]
