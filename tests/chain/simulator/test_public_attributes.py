"""No public attribute can be set silently: it has a documented setter, or the assignment is refused with a message."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any, Final

import pytest

from chain import Chain, Contract, reverts
from chain.arena import Plan, Store
from chain.deployment import Deployment
from chain.pictures import Markup, Picture
from chain.rpc.server.listener import Settings
from chain.spec.decorators import call
from chain.types import Address, u64
from tests.chain import reference_scene as scene

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(Path(__file__).parents[3] / "scripts")
    from reference_topics import TOPICS

# What can be set, by class. Each has a docstring in the reference.
SETTABLE: Final = {"Chain": {"automine", "block_interval", "mining"}}
# Classes of which every user makes their own, with attributes of their own, and counters that tools add to.
OPEN: Final = {
    "Contract", "System", "World", "Fuzz", "Proposal", "Report", "Tally", "Server", "ChainBackend", "Table", "Strategy",
    "Greedy", "Uniform",
}  # fmt: skip


class Two(Contract):
    @call(name="fee")
    def least(self) -> None:
        pass

    @call(name="fee")
    def most(self, amount: u64) -> None:
        pass


class Fan(Contract):
    @call
    def cheer(self, two: Address) -> None:
        self.at(Two, two).least()


def things() -> Iterator[Any]:
    """Yield an object of each class that the reference describes."""
    chain, race = scene.chain, scene.race
    receipt, other = scene.receipt, Chain()
    two, fan = other.deploy(Two), other.deploy(Fan)
    with reverts() as caught:
        race.roll(value=1)
    yield from (
        chain,
        chain.at(3),
        chain.fork(),
        chain.accounts[0],
        chain.head,
        chain.blocks,
        chain.pending,
    )
    with chain.fork().block() as block:
        yield block
    yield from (race, race.roll, race.square_of.simulate(scene.alice), race.deployment, scene.world)
    yield from (
        receipt,
        receipt.events,
        receipt.logs[0],
        receipt.writes[0],
        receipt.trace,
        fan.cheer(two).calls[0],
    )
    yield from (chain.receipts, chain.receipts.where(ok=True), chain.receipts.where(ok=True).page())
    yield from (chain.contracts[0], scene.world.history(scene.Score, scene.alice)[0])
    yield from (chain.sql("select 1 one"), chain.sql("select 1 one")[0], caught, caught.error)
    yield from (
        Deployment(other),
        Deployment(other).deploy_world("cup", systems=[]),
        Store(),
        chain.snapshot(),
    )
    yield from (two.fee, Settings(port=0))
    yield from (Plan.of("contracts.deblockle", ["random"]), Picture(1, 1, {}), Markup("a"))


def all_things() -> Iterator[Any]:
    """Yield those, and a bare object of each other class of the reference."""
    tried: set[type] = {object}
    for thing in things():
        tried.update(type(thing).__mro__)
        yield thing
    for cls in (topic.cls for section in TOPICS for topic in section.topics if not topic.names):
        if cls not in tried and cls.__name__ not in OPEN and not issubclass(cls, BaseException):
            yield cls.__new__(cls)


def refusal(thing: object, name: str) -> str:
    """Return the text of the error that an assignment raises; nothing if it raises none."""
    try:
        setattr(thing, name, object())
    except (AttributeError, TypeError) as error:
        return str(error)
    return ""


def test_public_attributes_cannot_be_set() -> None:
    silent = []
    for thing in all_things():
        cls = type(thing)
        known = {name for name in dir(cls) if not name.startswith("_")}
        known |= {name for name in getattr(cls, "__annotations__", ()) if not name.startswith("_")}
        for name in (known | {"no_such_name"}) - SETTABLE.get(cls.__name__, set()):
            said = refusal(thing, name)
            if " " not in said or "super(" in said:
                silent.append(f"{cls.__name__}.{name}: {said}")
    assert sorted(silent) == []


def test_what_can_be_set_is_checked() -> None:
    chain = Chain()
    for name in SETTABLE["Chain"]:
        with pytest.raises((TypeError, ValueError), match=" "):
            setattr(chain, name, object())
        assert getattr(Chain, name).__doc__


def test_copy_of_a_handle_is_a_handle() -> None:
    twin = copy(scene.race)
    assert twin.address == scene.race.address
    assert twin.square_of(scene.bob) == scene.race.square_of(scene.bob)
