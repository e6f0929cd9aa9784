"""Handles, which `deploy` returns: a deployed contract's entries as Python methods."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, Self, cast

from chain.errors import Reverted
from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import Sealed, put, sealed
from chain.ledger import decoded
from chain.ledger.logs import EventList, text_of
from chain.ledger.receipts import Receipt
from chain.machine.failure import Failure
from chain.machine.frame import Frame
from chain.metering.program import require_contract_class
from chain.runtime.contract import Contract
from chain.spec.contracts import CALL_OPTIONS, EntrySpec
from chain.spec.overloads import choose, signatures
from chain.types import Address
from chain.values.inputs import AccountLike, flag

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from chain.ledger.decoded.trace import Trace
    from chain.pictures.boards import Boards
    from chain.simulator.reader import ChainReader

    C = TypeVar("C", bound=Contract, default=Any)  # so that a plain Handle stands for any contract
else:
    from typing import TypeVar

    C = TypeVar("C")

_OF_NAMED_TYPE: Final = re.compile(
    r"(?:typing\.)?Annotated\[\w+, \w+\(name='(\w+)'[^()]*\)\]|chain\.crypto\.address\.(?=Address)"
)


@sealed
@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a view or of a simulated call. It leaves nothing on the chain.

    >>> result = race.roll.simulate(sender=bob)
    >>> result.ok, result.value, result.logs, result.events, result.error
    (True, 4, ['4 eyes'], [Moved(player=Address('0x7099...'), square=4)], None)
    """

    value: Any  # what the entry returned
    logs: list[str]  # the text logs
    events: EventList  # the events that it emitted
    gas_used: int  # the gas that it would cost
    ticks: int  # fuel used by the contracts' own code
    error: Failure | None  # the reason why it failed; None if it did not

    @property
    def ok(self) -> bool:
        """True if it did not fail."""
        return self.error is None


class _OfMethod:
    """An attribute that an entry takes from its author's method, for `help` and prompts."""

    def __init__(self, read: Callable[[EntrySpec], object], of_class: object = None) -> None:
        self._read, self._of_class = read, of_class

    def __get__(self, entry: Entry | None, owner: type) -> Any:
        return self._of_class if entry is None else self._read(entry.spec)


def as_written(annotation: object) -> object:
    """Return the text of a type as its author wrote it: `u8`, and not what that stands for."""
    if isinstance(annotation, str) or annotation is inspect.Signature.empty:
        return annotation
    return _OF_NAMED_TYPE.sub(r"\1", inspect.formatannotation(annotation))


def _signature(spec: EntrySpec) -> inspect.Signature:
    """Return the signature of the author's method for a handle: without `self`, and with the options of a call."""
    of_method = inspect.signature(spec.function)
    _, *params = of_method.parameters.values()
    params = [param.replace(annotation=as_written(param.annotation)) for param in params]
    taken = {param.name for param in params}
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=True if name == "check" else None)
        for name in ("sender", "value", "gas", "check")
        if name not in taken and not (name == "check" and spec.kind == "view")
    ]  # fmt: skip
    result = as_written(of_method.return_annotation) if spec.kind == "view" else "Receipt"
    return inspect.Signature([*params, *options], return_annotation=result)


class Entry(Sealed):
    """One entry of a deployed contract. A call mines a block and returns a `Receipt`; a view returns its value.

    `sender`, `value` and `gas` are the options of every call. A failed call raises `Reverted`, unless it has `check=False`;
    so does a failed view, and `simulate` returns its failure.

    >>> race.roll(sender=bob, gas=200_000).status
    1
    >>> race.roll(value=1, check=False).error.text
    'Race.roll takes no value: it is not payable'
    """

    __slots__ = ("_address", "_chain", "_to", "spec")
    _address: Address
    _to: bytes  # the same in plain bytes, as the state has it
    _chain: ChainReader
    spec: EntrySpec
    __name__ = cast(str, _OfMethod(lambda spec: spec.name))
    __doc__ = cast(str, _OfMethod(lambda spec: spec.function.__doc__, __doc__))
    __signature__ = _OfMethod(_signature)

    def __init__(self, chain: ChainReader, address: Address, spec: EntrySpec) -> None:
        put(self, "_chain", chain)
        put(self, "_address", address)
        put(self, "_to", bytes(address))
        put(self, "spec", spec)

    def __get__(self, handle: object, owner: type) -> Self:
        """Return the entry itself: it is bound to its contract as a method is to its object, so `help` treats it as one."""
        return self

    def __call__(
        self,
        *args: object,
        sender: AccountLike | None = None,
        value: int | None = None,
        gas: int | None = None,
        check: bool = True,
        **named: object,
    ) -> Any:
        spec = self.spec  # the description of the entry
        if value is not None and spec.value_is_argument:
            named["value"], value = value, None
        if check is not True:
            flag(check, "check")
            if spec.kind == "view":
                raise TypeError(
                    f"{spec.name} is a view, which has no receipt to return: {spec.name}.simulate(…) returns a failure"
                )
        chain, to = self._chain, self._to
        chain.need_contract(to, spec.contract)
        data = spec.encode_args(args, named, chain)
        if spec.kind == "view":
            result = self.simulate_calldata(data, sender, value, gas)
            if result.error is not None:
                raise Reverted(result) from result.error.cause
            return result.value
        wei = 0 if value is None else value
        receipt = chain.send(to, data, sender=sender, value=wei, gas=gas)
        if check and receipt.error is not None:
            raise Reverted(receipt) from receipt.error.cause
        return receipt

    def simulate(
        self,
        *args: object,
        sender: AccountLike | None = None,
        value: int | None = None,
        gas: int | None = None,
        **named: object,
    ) -> CallResult:
        """Run the entry and undo it; return its result, logs and cost.

        >>> race.roll.simulate(sender=bob).value
        4
        """
        if value is not None and self.spec.value_is_argument:
            named["value"], value = value, None
        return self.simulate_calldata(self._calldata(args, named), sender, value, gas)

    def simulate_calldata(
        self, data: bytes, sender: AccountLike | None = None, value: int | None = None, gas: int | None = None,
    ) -> CallResult:  # fmt: skip
        """Run this calldata and undo it; return its result, logs and cost."""
        wei = 0 if value is None else value
        frame, rows = self._chain.call(self._address, data, sender=sender, value=wei, gas=gas)
        texts = frame.view_logs or [text for text in map(text_of, rows) if text is not None]
        events = EventList(self._chain.ledger, rows)
        value, error = None, frame.failure
        if error is None:
            value = self.spec.author_result(frame.result, frame.output)
        else:
            error = decoded.named_failure(self._chain.ledger, error)
        return CallResult(value, texts, events, frame.gas_limit - frame.gas, frame.ticks, error)

    def trace(
        self,
        *args: object,
        sender: AccountLike | None = None,
        value: int | None = None,
        gas: int | None = None,
        **named: object,
    ) -> Trace:
        """Run the entry and undo it; return every message with its reads, writes and logs.

        >>> print(race.square_of.trace(alice))
        alice: Race.square_of(alice) -> 4 [... gas]
            reads Race.squares[alice] = 4
        """
        if value is not None and self.spec.value_is_argument:
            named["value"], value = value, None
        data, wei = self._calldata(args, named), 0 if value is None else value
        return self._chain.trace(self._address, data, sender=sender, value=wei, gas=gas)

    def calldata(self, *args: object, **named: object) -> bytes:
        """Return the data of a transaction to this entry.

        >>> race.roll.calldata().hex()
        'cd5e3c5d'
        """
        return self.spec.encode_args(args, named, self._chain)

    def _calldata(self, args: tuple[object, ...], named: dict[str, object]) -> bytes:
        """Return the data of a call, and check that the contract is deployed."""
        chain, spec = self._chain, self.spec
        chain.need_contract(self._address, spec.contract)
        return spec.encode_args(args, named, chain)

    def __repr__(self) -> str:
        return f"<{self.spec.kind} {self.spec.contract}.{self.spec.signature}>"


class Overloads:
    """Entries that share their name in the ABI. A call goes to the one that accepts its arguments, or raises TypeError.

    >>> class Token(Contract):
    ...     @view(name="fee")
    ...     def least_fee(self) -> u8:
    ...         return 1
    ...     @view(name="fee")
    ...     def fee_of(self, amount: u64) -> u64:
    ...         return amount // 10
    >>> token = chain.deploy(Token)
    >>> token.fee(), token.fee(70), token["fee(uint64)"](70), token.fee.simulate(70).value
    (1, 7, 7, 7)
    >>> token.fee.calldata().hex(), token.fee.trace(70).ok
    ('ddca3f43', True)
    """

    __slots__ = ("_besides", "_entries", "_name")

    def __init__(self, name: str, entries: tuple[Entry, ...]) -> None:
        self._name, self._entries = name, {entry.spec: entry for entry in entries}
        has_value_argument = any(entry.spec.value_is_argument for entry in entries)
        self._besides = CALL_OPTIONS - {"value"} if has_value_argument else CALL_OPTIONS

    def __call__(self, *args: object, **named: Any) -> Any:
        return self._resolve(args, named)(*args, **named)

    def simulate(self, *args: object, **named: Any) -> CallResult:
        """The same method of the entry that accepts the arguments."""
        return self._resolve(args, named).simulate(*args, **named)

    def trace(self, *args: object, **named: Any) -> Trace:
        """The same method of the entry that accepts the arguments."""
        return self._resolve(args, named).trace(*args, **named)

    def calldata(self, *args: object, **named: object) -> bytes:
        """The same method of the entry that accepts the arguments."""
        return self._resolve(args, named).calldata(*args, **named)

    def _resolve(self, args: tuple[object, ...], named: dict[str, object]) -> Entry:
        arguments = {name: value for name, value in named.items() if name not in self._besides}
        return self._entries[choose(self._name, tuple(self._entries), args, arguments)]

    def __repr__(self) -> str:
        return f"<entries {signatures(self._entries)}>"


class Handle(Generic[C]):
    """A deployed contract for scripts and tests: `game.make_move(0, 4, sender=alice)`, `game.fields.count`.

    An entry is an attribute under its method's name and under its name in the ABI, unless the handle itself has an attribute
    of that name. `game["make_move"]` and `game["make_move(uint64,uint8)"]` are always exactly that entry.

    >>> race.roll(sender=alice).ok, race.square_of(bob)
    (True, 0)
    >>> race["roll()"](sender=bob).return_value
    5
    >>> race.fields.squares[alice], race.balance
    (7, 0)
    >>> race.deployment.sender == alice, race.contract, [item["name"] for item in race.abi if item["type"] == "function"]
    (True, <class 'tests.chain.reference_scene.Race'>, ['join', 'roll', 'square_of'])
    >>> race.web3.functions.square_of(bob).call()
    5
    """

    chain: ChainReader  # the chain, or the past of one
    contract: type[C]  # the class of the contract
    address: Address  # the address of the contract

    def __init__(self, chain: ChainReader, contract: type[C], address: Address) -> None:
        own = vars(self)  # __setattr__ refuses any assignment
        own |= {"chain": chain, "contract": contract, "address": address}
        for name, spec in contract.__spec__.unshared.items():
            own[name] = Entry(chain, address, spec)

    @property
    def abi(self) -> list[dict[str, Any]]:
        """The JSON ABI, for web3 and other tools."""
        return self.contract.__spec__.abi

    @property
    def fields(self) -> C:
        """The contract's own storage: `game.fields.games[0]`. Inside `chain.setting()` it can also be changed."""
        return self.chain.fields_of(self)

    @property
    def deployment(self) -> Receipt:
        """The receipt of the transaction that deployed the contract, or failed to."""
        return self.chain._deployment_of(self.address)

    @property
    def web3(self) -> Any:
        """The same contract as a web3.py contract object."""
        return self.chain.web3.eth.contract(address=str(self.address), abi=self.abi)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # `copy` asks a handle for these before it has a contract
            raise AttributeError(name)
        spec = self.contract.__spec__
        if entry_specs := spec.named(name):  # a name in the ABI
            entries = tuple(
                Entry(self.chain, self.address, entry_spec) for entry_spec in entry_specs
            )
            return entries[0] if len(entries) == 1 else Overloads(name, entries)
        if name == "balance":  # in wei, unless the contract has an entry of that name
            return self.chain.balance(self.address)
        raise AttributeError(spec.no_entry(name))

    def __getitem__(self, name: str) -> Entry:
        return Entry(self.chain, self.address, self.contract.__spec__.exactly(name))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse every assignment, because it would not reach the contract's storage."""
        contract = self.contract.__name__
        raise AttributeError(
            f"{contract}.{name} cannot be set from outside: call an entry that changes it;"
            f" in a test write 'with chain.setting(): handle.fields.{name} = …'"
        )

    def __repr__(self) -> str:
        return f"<{self.contract.__name__} at {self.address}>"

    def _repr_svg_(self) -> str | None:
        """Return the picture of the board of the latest move, for a notebook."""
        boards: Boards | None = import_module("chain.pictures.boards").boards_of(self.contract)
        if boards is None:
            return None
        if boards.key is None:
            return boards.picture(self).svg()
        query = self.chain.ledger.receipts.where(to=self.address, ok=True)
        query = query.between(blocks=(None, self.chain.view_block.number))
        for _, receipt in query.matches(backwards=True):
            if named := boards.named_by(receipt):
                return boards.picture(self, named[-1]).svg()
        return None


def bind_instance(contract: type[C], frame: Frame) -> C:
    """Return an instance of the contract that reads through `frame`."""
    instance: C = object.__new__(contract)
    instance._frame, instance._random = frame, None
    return instance


def resolve_target(
    contract: type[C] | Handle[C], address: AccountLike | None
) -> tuple[type[C], AccountLike]:
    """Return the class and the address, which are given separately or as a handle of another chain."""
    if isinstance(contract, Handle):
        return contract.contract, contract.address
    require_contract_class(contract)
    if address is None:
        name = contract.__name__
        raise TypeError(
            f"handle({name}) needs the address where it was deployed; chain.contract('{name}') finds it by name"
        )
    return contract, address
