"""Results of calls as JSON text: pages ask for the same ones again and again, until a block comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from chain.ledger.ledger import Ledger
from chain.rpc.kept_texts import KeptTexts
from chain.simulator.driver import ChainDriver

_MOST_CALLS: Final = 1_000  # more than pages ask for, and few enough for the processor's cache


class CallTexts(KeptTexts[str]):
    """The texts of the results of calls on a chain as it is, by their parameters.

    The record of where the request's step begins has the lengths of all that only grows, and the rest of the chain itself. So a
    chain with the same record, which was not truncated since, is the same chain.
    """

    longest = 2_000  # so all take 4 MB at most, with their parameters

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(ledger)
        self._chain: object = None  # what the chain was when they were made

    def text(self, driver: ChainDriver, parameters: str, make: Callable[[], str]) -> str:
        """Return the text for these parameters, kept or else made. It depends on nothing but them and the chain."""
        machine = driver.machine
        if not driver.begun or machine.loaded is not None or machine.mocks or machine.debugs:
            return make()
        chain = driver.begun, driver.now
        if chain != self._chain:
            self._kept.clear()
            self._chain = chain
        text = self._kept.get(parameters)
        if text is None:
            text = make()
            if len(self._kept) >= _MOST_CALLS:
                self._kept.clear()
            if max(len(parameters), len(text)) <= self.longest:
                self._kept[parameters] = text
        return text
