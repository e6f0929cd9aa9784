"""State overrides and block overrides of a client, for every method that takes them.

The overrides are read completely before anything runs, so a mistake in them is reported and changes nothing. They are applied
to a separate state and to a copy of the block. If precompiled contracts are moved, or a blob price is set, the block gets
another `Fork`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, Final, Self, TypeVar

from chain.crypto import rlp
from chain.foundation.dataclass import dataclass
from chain.ledger.blocks import Block
from chain.machine.hardforks import FixedBlobFee, Fork
from chain.machine.state import State
from chain.rpc.errors import MOVED_TO_ITSELF, MOVED_TO_SAME, RpcError, bad_params, refused
from chain.rpc.hex_values import (
    data,
    known_fields,
    quantity,
    to_address,
    to_bytes,
    to_int,
    to_list,
    to_object,
    to_slot,
)
from chain.values.inputs import FEE, GAS, LAST_TIME

T = TypeVar("T")
_GWEI: Final = 10**9
_MOST_WITHDRAWALS: Final = 16


# State


@dataclass(frozen=True, slots=True)
class AccountOverride:
    """The overridden properties of one account; None for those that stay unchanged."""

    nonce: int | None = None
    balance: int | None = None
    code: bytes | None = None
    moved_to: bytes | None = None  # the new address of its precompiled contract
    words: Mapping[int, int] = field(default_factory=dict)
    wipes: bool = False  # all other words are zero

    @classmethod
    def read(cls, value: object) -> Self:
        given = known_fields(value, _ACCOUNT_FIELDS, "the override of an account")
        if "state" in given and "stateDiff" in given:
            raise bad_params("use 'state', which sets all words, or 'stateDiff', not both")
        words = to_object(given.get("state", given.get("stateDiff", {})), "the words")
        return cls(
            _optional(given, "nonce", lambda value, what: to_int(value, what, 64)),
            _optional(given, "balance", to_int),
            _optional(given, "code", to_bytes),
            _optional(given, "movePrecompileToAddress", to_address),
            {to_slot(slot): to_int(word, "a word") for slot, word in words.items()},
            "state" in given,
        )

    def apply(self, state: State, address: bytes) -> None:
        nonce, balance, code_hash = state.account(address)
        nonce = nonce if self.nonce is None else self.nonce
        balance = balance if self.balance is None else self.balance
        state.set_account(address, (nonce, balance, code_hash))
        if self.code is not None:
            state.set_code(address, self.code)
        if self.wipes:
            state.delete_storage(address)
        for slot, word in self.words.items():
            state.set_word(address, slot, word)


_ACCOUNT_FIELDS: Final = (
    "nonce", "balance", "code", "movePrecompileToAddress", "state", "stateDiff",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StateOverrides:
    """The overridden accounts, by address."""

    accounts: Mapping[bytes, AccountOverride]

    @classmethod
    def read(cls, value: object) -> Self:
        """Read `{address: {balance: …}}`; None overrides nothing."""
        items = to_object({} if value is None else value, "the state override").items()
        accounts = {to_address(address): AccountOverride.read(change) for address, change in items}
        if len(accounts) < len(items):
            raise bad_params("an address is overridden twice, in different spellings")
        return cls(accounts)

    def __bool__(self) -> bool:
        return bool(self.accounts)

    def apply(self, state: State, fork: Fork) -> Fork:
        """Change the state, and return the fork with its precompiled contracts at their new addresses."""
        precompiles = self._moved(fork)
        for address, account in self.accounts.items():
            account.apply(state, address)
            if account.code is not None:
                precompiles.pop(address, None)
        return fork if precompiles == fork.precompiles else replace(fork, precompiles=precompiles)

    def _moved(self, fork: Fork) -> dict[bytes, str]:
        """Return the precompiled contracts after all moves."""
        precompiles, targets = dict(fork.precompiles), dict[bytes, str]()
        for address, account in self.accounts.items():
            target = account.moved_to
            if target is None:
                continue
            if address not in fork.precompiles:
                raise refused(f"account {data(address)} is not a precompile")
            if target == address:
                raise RpcError(MOVED_TO_ITSELF, f"{data(address)} is moved to itself")
            if target in targets:
                raise RpcError(MOVED_TO_SAME, f"two precompiles are moved to {data(target)}")
            if target in self.accounts:
                raise refused(f"account {data(target)} is overridden, and a precompile moved to it")
            targets[target] = precompiles.pop(address)
        return precompiles | targets


# Blocks


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Ether that a validator withdraws at the end of a block (EIP-4895)."""

    index: int
    validator: int
    address: bytes
    amount: int  # gwei

    @classmethod
    def read(cls, value: object) -> Self:
        given = known_fields(value, _WITHDRAWAL_FIELDS, "a withdrawal")
        index, validator, amount = (
            to_int(given.get(name), f"'{name}'", 64)
            for name in ("index", "validatorIndex", "amount")
        )
        return cls(index, validator, to_address(given.get("address"), "'address'"), amount)

    @property
    def wei(self) -> int:
        return self.amount * _GWEI

    @property
    def encoded(self) -> bytes:
        return rlp.encode((self.index, self.validator, self.address, self.amount))

    @property
    def json(self) -> dict[str, str]:
        numbers = quantity(self.index), quantity(self.validator)
        values = (*numbers, data(self.address), quantity(self.amount))
        return dict(zip(_WITHDRAWAL_FIELDS, values, strict=True))


_WITHDRAWAL_FIELDS: Final = ("index", "validatorIndex", "address", "amount")


@dataclass(frozen=True, slots=True)
class BlockOverrides:
    """The overridden fields of a block; None for those that stay unchanged."""

    number: int | None = None
    timestamp: int | None = None
    gas_limit: int | None = None
    coinbase: bytes | None = None
    prevrandao: int | None = None
    base_fee: int | None = None
    blob_base_fee: int | None = None
    withdrawals: tuple[Withdrawal, ...] = ()

    @classmethod
    def read(cls, value: object) -> Self:
        """Read `{number: …}`; None overrides nothing."""
        given = known_fields({} if value is None else value, _BLOCK_FIELDS, "the block override")
        found = cls(**dict(_block_field(name, item) for name, item in given.items()))
        if max(found.number or 0, found.timestamp or 0) > LAST_TIME:
            raise bad_params(f"numbers and times of blocks are at most {LAST_TIME}")
        return found

    def __bool__(self) -> bool:
        return self != BlockOverrides()

    def apply(self, block: Block, fork: Fork) -> Block:
        """Return a block with these fields and this fork."""
        if self.blob_base_fee is not None:
            blobs = fork.blobs
            fixed = FixedBlobFee(blobs.target, blobs.max, blobs.update_fraction, self.blob_base_fee)
            fork = replace(fork, blobs=fixed)
        rules = block.rules
        if self.gas_limit is not None:
            rules = replace(rules, gas_limit=self.gas_limit)
        if fork is not rules.fork:
            rules = replace(rules, fork=fork)
        return block.with_fields(
            rules=rules,
            number=_or(self.number, block.number),
            timestamp=_or(self.timestamp, block.timestamp),
            coinbase=_or(self.coinbase, block.coinbase),
            base_fee=_or(self.base_fee, block.base_fee),
            forced_prevrandao=_or(self.prevrandao, block.forced_prevrandao),
        )


def _up_to(most: int) -> Callable[[object, str], int]:
    def read(value: object, what: str) -> int:
        number = to_int(value, what)
        if number > most:
            raise bad_params(f"{what} is {number}; it is at most {most}")
        return number

    return read


def _withdrawals(value: object, what: str) -> tuple[Withdrawal, ...]:
    withdrawals = tuple(map(Withdrawal.read, to_list(value, what)))
    if len(withdrawals) > _MOST_WITHDRAWALS:
        raise bad_params(f"a block has at most {_MOST_WITHDRAWALS} withdrawals")
    return withdrawals


_BLOCK_FIELDS: Final[Mapping[str, tuple[str, Callable[[object, str], object]]]] = {
    "number": ("number", to_int),
    "time": ("timestamp", to_int),
    "gasLimit": ("gas_limit", _up_to(GAS)),
    "feeRecipient": ("coinbase", to_address),
    "prevRandao": ("prevrandao", to_int),
    "baseFeePerGas": ("base_fee", _up_to(FEE)),
    "blobBaseFee": ("blob_base_fee", _up_to(FEE)),
    "withdrawals": ("withdrawals", _withdrawals),
}


def _block_field(name: str, value: object) -> tuple[str, Any]:
    """Return the name of a field here, and its value."""
    own_name, read = _BLOCK_FIELDS[name]
    return own_name, read(value, f"'{name}'")


def _or(given: T | None, default: T) -> T:
    return default if given is None else given


def _optional(given: Mapping[str, object], name: str, read: Callable[[object, str], T]) -> T | None:
    return read(given[name], f"'{name}'") if name in given else None
