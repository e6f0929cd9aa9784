"""The scopes of a chain: a block held open, an anchor, outcomes that are loaded.

An interrupt may end a `with` without its end being run. So nothing that a scope sets outlives it: the chain knows a scope only
as long as it lives and is not over.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any
from weakref import ref

from chain.loaded import Loaded

if TYPE_CHECKING:
    from chain.ledger.blocks import Block
    from chain.simulator import Chain, Snapshot


class Holding(AbstractContextManager["Block"]):
    """Several transactions in one block, which is mined at the end."""

    def __init__(self, chain: Chain) -> None:
        self._chain, self.is_over = chain, False

    def __enter__(self) -> Block:
        return self._chain.hold(self)

    def __exit__(self, *_: object) -> None:
        self.is_over = True
        self._chain.let_go()


class Anchor(AbstractContextManager[None]):
    """What happens within is undone."""

    _snapshot: Snapshot

    def __init__(self, chain: Chain) -> None:
        self._chain = chain

    def __enter__(self) -> None:
        self._snapshot = self._chain.snapshot()

    def __exit__(self, *_: object) -> None:
        self._chain.revert(self._snapshot)


class Loading(AbstractContextManager[None]):
    """What `self.random` draws next is forced."""

    def __init__(self, chain: Chain, outcomes: dict[str, list[Any]]) -> None:
        self._chain, self._loaded = chain, Loaded(outcomes)
        self._loaded.scope = ref(self)

    def __enter__(self) -> None:
        machine = self._chain.machine
        if machine.loaded is not None and machine.loaded.is_wanted:
            raise RuntimeError("outcomes are already loaded: end the other 'with' first")
        machine.loaded = self._loaded

    def __exit__(self, kind: object, *_: object) -> None:
        self._chain.machine.loaded = None
        if kind is None:
            self._loaded.check_empty()
