"""Direct changes to a chain outside of transactions, for tests: balances, code, words, mining, fields of the next block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from chain.concurrency.atomic_steps import Steps, step
from chain.ledger.blocks import Mining
from chain.ledger.ledger import Ledger
from chain.machine.state import State
from chain.schema.inputs import (
    EXCESS_BLOB_GAS,
    FEE,
    NONCE,
    AccountLike,
    flag,
    interval,
    raw_bytes,
    wei,
    whole_number,
)
from chain.schema.validation import short_repr
from chain.types import Address


class StateOverrides(Steps, ABC):
    """Mixin for a chain whose accounts and next block can be set."""

    __slots__ = ()

    ledger: Ledger
    state: State
    _clock: int
    _automine: bool
    _block_interval: int
    _overrides: dict[str, Any]  # fields of the next block

    @abstractmethod
    def address_of(self, account: AccountLike, name: str = "address") -> Address:
        """Return the address of an account; `name` is the name of the argument for error texts."""

    def set_balance(self, address: AccountLike, amount: int) -> None:
        self._put_balance(bytes(self.address_of(address)), wei(amount, "amount"))

    def set_nonce(self, address: AccountLike, nonce: int) -> None:
        self._put_nonce(bytes(self.address_of(address)), whole_number(nonce, "nonce", NONCE))

    def set_code(self, address: AccountLike, code: bytes) -> None:
        self._put_code(bytes(self.address_of(address)), raw_bytes(code, "code"))

    def set_storage(self, address: AccountLike, slot: int, word: int) -> None:
        """Set the raw word in a storage slot of an account."""
        account = bytes(self.address_of(address))
        self._put_word(account, whole_number(slot, "slot"), whole_number(word, "word"))

    @step
    def _put_balance(self, address: bytes, amount: int) -> None:
        nonce, _, code_hash = self.state.account(address)
        self.state.set_account(address, (nonce, amount, code_hash))
        self.record_changes()

    @step
    def _put_nonce(self, address: bytes, nonce: int) -> None:
        self.state.set_account(address, (nonce, *self.state.account(address)[1:]))
        self.record_changes()

    @step
    def _put_code(self, address: bytes, code: bytes) -> None:
        self.state.set_code(address, code)
        self.record_changes()

    @step
    def _put_word(self, address: bytes, slot: int, word: int) -> None:
        self.state.set_word(address, slot, word)
        self.record_changes()

    @step
    def record_changes(self) -> None:
        """Add the changes made outside of any transaction to the timeline."""
        self.ledger.record_changes(self.state.close()[0])

    @property
    def mining(self) -> Mining:
        """The mining settings: the clock, automine, the block interval, and the overrides of the next block."""
        return Mining(
            self._clock, self._automine, self._block_interval, tuple(self._overrides.items())
        )

    @mining.setter
    def mining(self, mining: Mining) -> None:
        if not isinstance(mining, Mining):
            raise TypeError(f"{short_repr(mining)} is not a Mining: give what chain.mining gave")
        self._clock, automine, self._block_interval, overrides = mining
        self._automine, self._overrides = bool(automine), dict(overrides)

    @property
    def automine(self) -> bool:
        """True if each transaction is mined at once. If False, transactions wait for `mine`."""
        return self._automine

    @automine.setter
    @step
    def automine(self, on: bool) -> None:
        self._automine = flag(on, "automine")

    @property
    def block_interval(self) -> int:
        """The seconds from one block to the next, if the clock has not moved."""
        return self._block_interval

    @block_interval.setter
    @step
    def block_interval(self, seconds: int) -> None:
        self._block_interval = interval(seconds)

    def set_next_block(
        self,
        *,
        prevrandao: int | None = None,
        base_fee: int | None = None,
        coinbase: AccountLike | None = None,
        excess_blob_gas: int | None = None,
    ) -> None:
        """Override fields of the next block. A base fee and a coinbase stay until they are set again."""
        overrides: dict[str, Any] = {}
        if prevrandao is not None:
            overrides["forced_prevrandao"] = whole_number(prevrandao, "prevrandao")
        if base_fee is not None:
            overrides["base_fee"] = whole_number(base_fee, "base_fee", FEE, unit="wei")
        if coinbase is not None:
            overrides["coinbase"] = bytes(self.address_of(coinbase, "coinbase"))
        if excess_blob_gas is not None:
            most = EXCESS_BLOB_GAS
            overrides["excess_blob_gas"] = whole_number(excess_blob_gas, "excess_blob_gas", most)
        self._override(overrides)

    @step
    def _override(self, overrides: Mapping[str, Any]) -> None:
        if self.ledger.open is not None:
            raise ValueError("the next block is open already: mine it before you say what it has")
        self._overrides = {**self._overrides, **overrides}
