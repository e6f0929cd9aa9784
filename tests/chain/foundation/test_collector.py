"""The garbage collector is paused while large structures are built, and no longer."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from chain.foundation.gc_pause import collector_paused


def test_collector_is_restored() -> None:
    with collector_paused():
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(KeyboardInterrupt), collector_paused():
        raise KeyboardInterrupt
    assert gc.isenabled()


@pytest.fixture
def unfrozen() -> Iterator[None]:
    """Nothing is frozen, as in the process of a script."""
    was_frozen = gc.get_freeze_count()
    gc.unfreeze()
    yield
    if was_frozen:
        gc.freeze()
    else:
        gc.unfreeze()


@pytest.mark.usefixtures("unfrozen")
def test_what_was_built_is_not_walked_afterwards() -> None:
    phases: list[str] = []
    gc.collect()
    gc.callbacks.append(lambda phase, info: phases.append(phase))
    try:
        with collector_paused():
            built = [[n] for n in range(20_000)]
        later = [[n] for n in range(100)]
    finally:
        gc.callbacks.pop()
    assert len(built) > len(later) and phases == []


@pytest.mark.usefixtures("unfrozen")
def test_what_was_frozen_stays_so() -> None:
    gc.freeze()
    with collector_paused():
        pass
    assert gc.get_freeze_count()
