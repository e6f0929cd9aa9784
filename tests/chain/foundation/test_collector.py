"""The garbage collector is paused while large structures are built, and no longer."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from chain import Chain
from chain.crypto import trie
from chain.foundation.gc_pause import collector_paused
from chain.ledger.state_trie import initial_trie


def test_collector_is_restored() -> None:
    with collector_paused():
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(KeyboardInterrupt), collector_paused():
        raise KeyboardInterrupt
    assert gc.isenabled()


def test_first_root_is_built_without_the_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    enabled: list[bool] = []
    update = trie.update

    def noted(*args: Any) -> Any:
        enabled.append(gc.isenabled())
        return update(*args)

    monkeypatch.setattr(trie, "update", noted)
    initial_trie(Chain().state, ())
    assert enabled and not any(enabled)
