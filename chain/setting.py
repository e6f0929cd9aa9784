"""What a test sets on a chain outside of any transaction: balances, code, words, how blocks are mined and what they have."""

from __future__ import annotations

from typing import Any

from chain.ledger.blocks import Mining
from chain.ledger.ledger import Ledger
from chain.machine.state import State
from chain.types import Address


class Setting:
    """A chain whose accounts and next block can be set."""

    ledger: Ledger
    state: State
    _clock: int
    _automine: bool
    _block_interval: int
    _overrides: dict[str, Any]  # fields of the next block

    def _save(self) -> None:
        raise NotImplementedError

    def set_balance(self, address: Address, amount: int) -> None:
        nonce, _, code_hash = self.state.account(address)
        self.state.set_account(address, (nonce, amount, code_hash))
        self.note()

    def set_nonce(self, address: Address, nonce: int) -> None:
        self.state.set_account(address, (nonce, *self.state.account(address)[1:]))
        self.note()

    def set_code(self, address: Address, code: bytes) -> None:
        self.state.set_code(address, code)
        self.note()

    def set_storage(self, address: Address, slot: int, word: int) -> None:
        self.state.set_word(address, slot, word)
        self.note()

    def note(self) -> None:
        """Put what was changed outside of any transaction on the timeline."""
        self.ledger.note(self.state.close()[0])
        self._save()

    @property
    def mining(self) -> Mining:
        """The clock, when blocks are mined, and what is overridden in the next one."""
        return Mining(
            self._clock, self._automine, self._block_interval, tuple(self._overrides.items())
        )

    @mining.setter
    def mining(self, mining: Mining) -> None:
        self._clock, automine, self._block_interval, overrides = mining
        self._automine, self._overrides = bool(automine), dict(overrides)

    @property
    def automine(self) -> bool:
        """Whether each transaction is mined at once. Without it they wait for `mine`."""
        return self._automine

    @automine.setter
    def automine(self, on: bool) -> None:
        self._automine = on
        self._save()

    @property
    def block_interval(self) -> int:
        """The seconds from a block to the next, if the clock has not moved."""
        return self._block_interval

    @block_interval.setter
    def block_interval(self, seconds: int) -> None:
        self._block_interval = seconds
        self._save()

    def set_next(
        self,
        *,
        prevrandao: int | None = None,
        base_fee: int | None = None,
        coinbase: Address | None = None,
    ) -> None:
        """What the next block shall have. A base fee and a coinbase stay until they are set again."""
        if self.ledger.open is not None:
            raise ValueError("the next block is open already: mine it before you say what it has")
        overrides = {
            "forced_prevrandao": prevrandao,
            "base_fee": base_fee,
            "coinbase": None if coinbase is None else bytes(coinbase),
        }
        self._overrides |= {name: value for name, value in overrides.items() if value is not None}
        self._save()
