"""Direct changes to a chain outside of transactions, for tests: balances, code, words, mining, fields of the next block."""

from __future__ import annotations

from chain.foundation.atomic_steps import step
from chain.ledger.blocks import Mining
from chain.simulator.driver import ChainDriver
from chain.simulator.reader import ChainReader
from chain.values import short_repr
from chain.values.inputs import (
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


class StateSetters(ChainReader):
    """The part of `Chain` that sets accounts and the next block."""

    __slots__ = ()

    driver: ChainDriver

    @step
    def set_balance(self, address: AccountLike, amount: int) -> None:
        """Set the wei of an account.

        >>> chain.set_balance(bob, 10**18)
        """
        self.driver.set_balance(bytes(self.address_of(address)), wei(amount, "amount"))

    @step
    def set_nonce(self, address: AccountLike, nonce: int) -> None:
        """Set the nonce of an account.

        >>> chain.set_nonce(bob, 7)
        """
        account = bytes(self.address_of(address))
        self.driver.set_nonce(account, whole_number(nonce, "nonce", NONCE))

    @step
    def set_code(self, address: AccountLike, code: bytes) -> None:
        """Set the code of an account.

        >>> chain.set_code("0x" + "11" * 20, bytes.fromhex("600160005260206000f3"))
        """
        self.driver.set_code(bytes(self.address_of(address)), raw_bytes(code, "code"))

    @step
    def set_storage(self, address: AccountLike, slot: int, word: int) -> None:
        """Set the raw word in a storage slot of an account.

        >>> chain.set_storage(race, 0, 1)
        """
        account = bytes(self.address_of(address))
        self.driver.set_word(account, whole_number(slot, "slot"), whole_number(word, "word"))

    @step
    def record_changes(self) -> None:
        """Add the changes made outside of any transaction to the timeline."""
        self.driver.record_changes()

    @property
    def mining(self) -> Mining:
        """The mining settings: the clock, automine, the block interval, and the overrides of the next block."""
        return self.driver.mining

    @mining.setter
    @step
    def mining(self, mining: Mining) -> None:
        if not isinstance(mining, Mining):
            raise TypeError(f"{short_repr(mining)} is not a Mining: pass the value of chain.mining")
        self.driver.mining = mining

    @property
    def automine(self) -> bool:
        """True if each transaction is mined immediately. If False, transactions wait for `mine`."""
        self.settle()
        return self.driver.mining.automine

    @automine.setter
    @step
    def automine(self, on: bool) -> None:
        self.driver.set_automine(flag(on, "automine"))

    @property
    def block_interval(self) -> int:
        """The seconds from one block to the next, if the clock has not moved."""
        self.settle()
        return self.driver.mining.interval

    @block_interval.setter
    @step
    def block_interval(self, seconds: int) -> None:
        self.driver.set_block_interval(interval(seconds))

    @step
    def set_next_block(
        self,
        *,
        prevrandao: int | None = None,
        base_fee: int | None = None,
        coinbase: AccountLike | None = None,
        excess_blob_gas: int | None = None,
    ) -> None:
        """Override fields of the next block. A base fee and a coinbase stay until they are set again.

        >>> chain.set_next_block(prevrandao=5, coinbase=bob)
        >>> chain.mine().prevrandao
        5
        """
        overrides: dict[str, int | bytes] = {}
        if prevrandao is not None:
            overrides["forced_prevrandao"] = whole_number(prevrandao, "prevrandao")
        if base_fee is not None:
            overrides["base_fee"] = whole_number(base_fee, "base_fee", FEE, unit="wei")
        if coinbase is not None:
            overrides["coinbase"] = bytes(self.address_of(coinbase, "coinbase"))
        if excess_blob_gas is not None:
            most = EXCESS_BLOB_GAS
            overrides["excess_blob_gas"] = whole_number(excess_blob_gas, "excess_blob_gas", most)
        self.driver.override(overrides)
