"""The interface for scripts and tests: `Chain`, handles, past blocks, forks, a chain in a node.

`Chain` is what scripts see; a driver does what they ask, in this process or in a node. May import `ledger`, `runtime` and what
is below them. Begin with `chain`, then `reader`, `driver` and `handle`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chain.foundation.late_imports import late_names

if TYPE_CHECKING:
    from chain.simulator.chain_scopes import (
        Anchor,
        Holding,
        Loading,
        Mocking,
        Setting,
        open_setting,
    )
    from chain.simulator.mocking import mock_of

_HOMES: Final = {
    "chain_scopes": ("Anchor", "Holding", "Loading", "Mocking", "Setting", "open_setting"),
    "mocking": ("mock_of",),
}

__getattr__ = late_names(__name__, _HOMES)

__all__ = ["Anchor", "Holding", "Loading", "Mocking", "Setting", "mock_of", "open_setting"]
