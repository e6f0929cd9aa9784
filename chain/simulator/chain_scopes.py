"""The scopes of a chain: a block held open, an anchor, forced random outcomes.

An interrupt may end a `with` without running its exit. So the chain holds a scope only by a weak reference and ignores it once
it is over; nothing that a scope sets outlives it. While a thread is in a scope, other threads cannot use the chain.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from threading import get_ident
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from weakref import ref

from chain.machine.forced_random import LoadedOutcomes

if TYPE_CHECKING:
    from chain.ledger.blocks import Block
    from chain.simulator.chain import Chain, Snapshot

T_co = TypeVar("T_co", covariant=True)


class ChainScope(AbstractContextManager[T_co]):
    """Base class of the scopes that a thread can enter."""

    name: ClassVar[str]

    def __init__(self, chain: Chain) -> None:
        self._chain, self.is_over, self.thread = chain, False, 0

    def _enter(self) -> None:
        """Register the scope with the chain, for the running thread."""
        self.thread = get_ident()
        self._chain._enter(self)


class Holding(ChainScope["Block"]):
    """Scope for several transactions in one block, which is mined at the end."""

    name = "block"

    def __enter__(self) -> Block:
        self._enter()
        return self._chain._hold(self)

    def __exit__(self, *_: object) -> None:
        self.is_over = True
        self._chain._let_go()


class Anchor(ChainScope[None]):
    """Scope that undoes everything at its end."""

    name = "anchor"
    _snapshot: Snapshot

    def __enter__(self) -> None:
        self._enter()
        self._snapshot = self._chain.snapshot()

    def __exit__(self, *_: object) -> None:
        self._chain.revert(self._snapshot)
        self.is_over = True


class Loading(ChainScope[None]):
    """Scope that forces the next outcomes of `self.random`."""

    name = "loaded"

    def __init__(self, chain: Chain, outcomes: dict[str, list[Any]]) -> None:
        super().__init__(chain)
        self._loaded = LoadedOutcomes(outcomes)
        self._loaded.scope = ref(self)

    def __enter__(self) -> None:
        self._enter()
        machine = self._chain.machine
        if machine.loaded is not None and machine.loaded.is_wanted:
            raise RuntimeError("outcomes are already loaded: end the other 'with' first")
        machine.loaded = self._loaded

    def __exit__(self, kind: object, *_: object) -> None:
        self._chain.machine.loaded = None
        self.is_over = True
        if kind is None:
            self._loaded.check_empty()
