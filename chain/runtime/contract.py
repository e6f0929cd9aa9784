"""The base class of contracts: a class of entries. An instance exists only while one message runs, bound to its frame."""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, TypeVar, cast

from chain.abi.json_abi import functions_from_json
from chain.abi.texts import TEXT_TOPICS, text_data
from chain.crypto.address import Address, address_of_bytes
from chain.crypto.hashing import create2_address, keccak
from chain.crypto.signatures import recover
from chain.foundation.sealed import Sealed, setter
from chain.machine import gas as cost
from chain.machine.block_context import BlockContext
from chain.machine.frame import Frame
from chain.metering.program import program_of, require_contract_class
from chain.runtime import account_names
from chain.runtime.contract_proxy import ContractProxy, unwrap_result
from chain.runtime.random import Random
from chain.spec.class_body import ClassBody
from chain.spec.class_reader import read_contract_class
from chain.spec.contracts import ContractSpec
from chain.spec.findings import Findings
from chain.spec.invocation import INVOKE
from chain.spec.records import EventSpec
from chain.values import short_repr
from chain.values.inputs import address_of, raw_bytes, wei

C = TypeVar("C", bound="Contract")
F = TypeVar("F", bound=Callable[..., object])

_BASES = ("chain.runtime.contract", "chain.runtime.system")  # the modules of the base classes
_WORD, _SIGNATURE, _PARITIES = 32, 65, (27, 28)


class BlockInfo(Sealed):
    """The block in which a message runs.

    >>> self.block.number, self.block.timestamp
    (8, 1704067208)
    >>> self.block.prevrandao % 6
    3
    """

    __slots__ = ("_context",)
    _context: BlockContext

    def _missing(self, name: str) -> str:
        return f"a block has no '{name}': it has number, timestamp and prevrandao"

    @property
    def number(self) -> int:
        """The number of the block."""
        return self._context.number

    @property
    def timestamp(self) -> int:
        """The time of the block, in seconds since 1970."""
        return self._context.timestamp

    @property
    def prevrandao(self) -> int:
        """The random number of the block, the same for all its transactions."""
        return self._context.prevrandao

    def __repr__(self) -> str:
        return f"<block {self.number}>"


_put_context: Final = setter(BlockInfo, "_context")


class ContractType(type):
    """The metaclass of contracts: it checks a class when it is created, and gives it its description.

    It adds empty `__slots__`, so setting an attribute that is not a field fails: it would be lost with the message.
    """

    __spec__: ContractSpec

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **_: object) -> ClassBody:
        return ClassBody(name)

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, object]) -> ContractType:
        cls = super().__new__(mcs, name, bases, {"__slots__": (), **space})
        if cls.__module__ not in _BASES:
            base = next(parent for parent in cls.__mro__ if parent.__module__ in _BASES)
            findings = space.findings if isinstance(space, ClassBody) else Findings(name)
            spec = read_contract_class(cls, base, sys._getframe(1), findings)
            cls.__spec__ = cls._finalize_spec(spec)  # type: ignore[attr-defined]
        return cls

    def __call__(cls, *args: Any, **options: Any) -> Any:
        """Return the contract at an address, as `self.at` does: `Race(address)` in a contract."""
        caller = _running_contract()
        if caller is None or len(args) != 1 or not isinstance(args[0], Address):
            raise TypeError(
                f"{cls.__name__} cannot be instantiated directly: use chain.deploy({cls.__name__}); in a contract "
                f"self.deploy({cls.__name__}), or {cls.__name__}(address) for one that is deployed"
            )
        return Contract.at(caller, cast(Any, cls), args[0], **options)


def _running_contract() -> Any:
    """Return the contract whose message runs in this thread, or None."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code is not INVOKE:
        frame = frame.f_back
    return frame and frame.f_locals["contract"]


def _open(method: F) -> F | Callable[..., Any]:
    """Mark a method of `OVERRIDABLE_NAMES` as one that an entry may override: type checkers accept any signature for it."""
    return method


class Contract(metaclass=ContractType):
    """The base class of contracts: annotate fields, and mark methods with `@init`, `@call`, `@view`.

    An entry may be called `transfer`, `balance`, `deploy`, `create2`, `create2_address`, `log`, `at`, `has_code`, `keccak` or
    `ecrecover`. The contract then uses the built-in method as `super().transfer(…)`.

    >>> class Counter(Contract):
    ...     count: u64
    ...     @call
    ...     def add(self, n: u8) -> u64:
    ...         self.count += n
    ...         return self.count
    >>> chain.deploy(Counter).add(3).return_value
    3
    """

    __slots__ = ("_frame", "_random")
    _frame: Frame
    _random: Random | None

    @classmethod
    def _finalize_spec(cls, spec: ContractSpec) -> ContractSpec:
        """Return the final description of a contract class. Subclasses may change the author's declaration."""
        return spec

    def __repr__(self) -> str:
        name = type(self).__qualname__
        if self._frame.kind != "fields":
            return f"<{name} object>"
        layout = type(self).__spec__.fields
        names = [] if layout is None else layout.names
        values = (f"{field}={short_repr(getattr(self, field))}" for field in names)
        return f"<{', '.join([f'fields of {name} at {self.address}', *values])}>"

    # The message and its context

    @property
    def caller(self) -> Address:
        """The sender of this message.

        >>> self.caller == self.origin == alice, self.value, self.balance, self.chain_id
        (True, 0, 0, 31337)
        >>> self.address == race.address, self.caller_id
        (True, 'alice')
        """
        return address_of_bytes(self._frame.caller)

    @property
    def caller_id(self) -> str:
        """The name of the caller if it has one on this chain, otherwise its address as text."""
        return account_names.name_or_address(self._frame, self._frame.caller)

    @property
    def origin(self) -> Address:
        """The sender of the transaction."""
        return address_of_bytes(self._frame.context.origin)

    @property
    def origin_id(self) -> str:
        """The name of the sender of the transaction, otherwise its address as text."""
        return account_names.name_or_address(self._frame, self._frame.context.origin)

    def account_id(self, account: Address | str) -> str:
        """Return an account as `caller_id` has it: by its name, otherwise by its address. A text may be either.

        >>> self.account_id(str(alice)), self.account_id("alice")
        ('alice', 'alice')
        """
        if isinstance(account, str) and not account.startswith("0x"):
            return account
        try:
            address = Address(account)
        except ValueError:  # a name that only begins like an address
            return str(account)
        return account_names.name_or_address(self._frame, bytes(address))

    @property
    def value(self) -> int:
        """The wei sent with this message."""
        return self._frame.value

    @property
    def address(self) -> Address:
        """The address of this contract."""
        return address_of_bytes(self._frame.address)

    @property
    def balance(self) -> int | Any:  # Any: see `_open`
        """The wei that the contract holds."""
        return self._frame.balance_of(self._frame.address)

    @property
    def block(self) -> BlockInfo:
        """The block in which this message runs."""
        info = BlockInfo()
        _put_context(info, self._frame.context.block)
        return info

    @property
    def chain_id(self) -> int:
        """The id of the chain, which distinguishes signatures for this chain from those for another one."""
        return self._frame.context.block.chain_id

    def may_upgrade(self) -> bool:
        """Return True if the caller may upgrade this contract. Override it: `return self.caller == self.owner`.

        >>> self.may_upgrade()
        True
        """
        return True

    # Actions

    def emit(self, event: object) -> None:
        """Emit an `@event`. Raise TypeError for anything else.

        >>> self.emit(Moved(self.caller, 4))
        """
        self._frame.emit(*encode_event(event))

    @_open
    def log(self, text: str) -> None:
        """Write a text log. In a view it is returned to the caller, not written to the chain.

        >>> self.log(f"{self.caller_id} begins")
        """
        if not isinstance(text, str):
            raise TypeError(
                f"a log is a text, not {reprlib.repr(text)}: write an f-string, or emit an event"
            )
        frame = self._frame
        if frame.static:
            frame.note(text)
        else:
            frame.emit(TEXT_TOPICS, text_data(text))

    @property
    def random(self) -> Random:
        """Randomness that anyone can recompute, from the prevrandao of the block, the transaction and this contract."""
        random = self._random
        if random is None:
            random = self._random = Random(self._frame)
        return random

    @_open
    def at(
        self, contract: type[C], address: Address, *, value: int = 0, gas: int | None = None
    ) -> C:
        """Return the Python contract at `address`, with its entries as methods. Calls carry `value` wei and at most `gas`.

        >>> self.at(Race, race.address).square_of(alice)
        4
        """
        try:
            spec = contract.__spec__
        except AttributeError:
            require_contract_class(contract)
            raise
        return cast(C, ContractProxy(self._frame, address, spec, value, gas))

    def abi(
        self, address: Address, abi: list[dict[str, Any]], *, value: int = 0, gas: int | None = None
    ) -> Any:
        """Return any contract at `address`, such as one in bytecode, by its JSON ABI.

        >>> self.abi(race.address, Race.__spec__.abi).square_of(alice)
        4
        """
        return ContractProxy(self._frame, address, functions_from_json(abi), value, gas)

    @_open
    def transfer(self, to: Address, amount: int) -> None:
        """Send wei. It reverts if the receiver refuses.

        >>> self.transfer(bob, 0)
        """
        if type(to) is not Address:
            to = address_of(to, "to")
        if type(amount) is not int or amount < 0:
            amount = wei(amount, "amount")
        unwrap_result(self._frame.call(bytes(to), b"", amount), self._frame)

    @_open
    def deploy(
        self, contract: type[Contract], *args: object, value: int = 0, **named: object
    ) -> Address:
        """Deploy a new contract and return its address.

        >>> self.has_code(self.deploy(Race))
        True
        """
        return self._create(contract, args, named, value, None)

    @_open
    def create2(
        self, contract: type[Contract], salt: bytes, *args: object, value: int = 0, **named: object
    ) -> Address:
        """Deploy a new contract at an address derived from this contract, a salt of 32 bytes, the code and the arguments
        (EIP-1014).

        So nobody else can take the address, and it does not depend on what was deployed before.

        >>> self.at(Race, self.create2(Race, bytes(32))).square_of(alice)
        0
        """
        return self._create(contract, args, named, value, _salt_of(salt))

    @_open
    def create2_address(
        self, contract: type[Contract], salt: bytes, *args: object, **named: object
    ) -> Address:
        """Return the address that `create2` gives a contract with this salt and these arguments.

        >>> self.create2_address(Race, bytes(32)) == self.create2(Race, bytes(32))
        True
        """
        initcode = self._initcode(contract, args, named)
        words = cost.word_count(len(initcode))
        self._frame.charge(cost.KECCAK_WORD * words)
        return Address(create2_address(self._frame.address, _salt_of(salt), initcode))

    def _create(
        self, contract: type[Contract], args: tuple[object, ...], named: dict[str, object], value: int,
        salt: bytes | None,
    ) -> Address:  # fmt: skip
        child = self._frame.create(self._initcode(contract, args, named), wei(value), salt)
        unwrap_result(child, self._frame)
        return Address(child.address)

    def _initcode(
        self, contract: type[Contract], args: tuple[object, ...], named: dict[str, object]
    ) -> bytes:
        program = self._frame.context.machine.declare(program_of(contract))
        init = contract.__spec__.init
        return program.initcode + (
            init.encode_args(args, named) if init else require_no_init_args(contract, args, named)
        )

    @_open
    def has_code(self, address: Address) -> bool:
        """Return True if there is a contract at `address`. While its @init runs, it has no code yet.

        >>> self.has_code(self.address), self.has_code(alice)
        (True, False)
        """
        raw_address = bytes(address_of(address))
        self._frame.touch(raw_address)
        return self._frame.state.has_code(raw_address)

    @_open
    def keccak(self, data: bytes) -> bytes:
        """Return the Keccak-256 hash of bytes, as in Solidity. Outside of contracts, use `chain.keccak`.

        >>> self.keccak(b"salt")[:4].hex()
        'a05e3341'
        """
        return keccak(data)

    @_open
    def ecrecover(self, digest: bytes, signature: bytes) -> Address | None:
        """Return the account that signed a hash of 32 bytes, or None if no key can have made this signature.

        A signature is r, s and v in 65 bytes, as wallets give it; v is 27 or 28.

        >>> self.ecrecover(self.keccak(b"a message"), bytes(65)) is None
        True
        """
        digest, signature = raw_bytes(digest, "digest"), raw_bytes(signature, "signature")
        if len(digest) != _WORD:
            raise ValueError(f"a hash has {_WORD} bytes, this one has {len(digest)}")
        self._frame.charge(cost.ECRECOVER)
        if len(signature) != _SIGNATURE or signature[-1] not in _PARITIES:
            return None
        signer = recover(digest, signature[:-1] + bytes((signature[-1] - _PARITIES[0],)))
        return None if signer is None else Address(signer)


def encode_event(event: object) -> tuple[tuple[int, ...], bytes, bytes | None]:
    """Return topics and data, and the encoding of all members if some cannot be read from these."""
    spec: EventSpec | None = type(event).__dict__.get("__event__")
    if spec is None:
        raise TypeError(_not_an_event(event))
    return spec.encode(event)


def _not_an_event(value: object) -> str:
    if isinstance(value, type):
        if "__event__" in value.__dict__:
            return (
                f"{value.__name__} is the class of an event: emit an instance, {value.__name__}(…)"
            )
        return f"{value.__name__} is not an event: mark the class with @event"
    if type(value).__module__ == "builtins":
        return f"{value!r} is not an event: emit an instance of a class with @event"
    return f"{type(value).__name__} is not an event: mark its class with @event"


def _salt_of(salt: bytes) -> bytes:
    salt = raw_bytes(salt, "salt")
    if len(salt) != _WORD:
        raise ValueError(f"a salt has {_WORD} bytes, this one has {len(salt)}")
    return salt


def require_no_init_args(
    contract: type, args: tuple[object, ...], named: dict[str, object]
) -> bytes:
    """Refuse arguments for a contract without an @init. Return their encoding, which is empty."""
    if args or named:
        raise TypeError(f"{contract.__name__} has no @init, so it takes no arguments")
    return b""
