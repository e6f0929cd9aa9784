"""Worlds with several namespaces: each has its systems, its models and its owner."""

from __future__ import annotations

from pathlib import Path

import pytest

from chain import Chain, Key, Reverted, System, call, init, model, require, view
from chain.deployment import Deployment
from chain.deployment.journal import Journal
from chain.rpc.chain.storage import model as rpc_model
from chain.rpc.chain.storage import worlds as rpc_worlds
from chain.rpc.node import Node
from chain.simulator.world_handle import WorldHandle
from chain.types import Address, u8, u16
from tests.chain.deployment.arcade import apply


@model
class Score:
    player: Key[Address]
    points: u16


@model
class Sword:
    owner: Key[Address]
    edge: u8


def sword_of_another_shape() -> type:
    @model
    class Sword:
        owner: Key[Address]
        price: u16

    return Sword


class Duel(System):
    @call
    def win(self) -> None:
        score = self.world.read(Score, self.caller)
        score.points += self.world("items").read(Sword, self.caller).edge + 1
        self.world.write(score)

    @call
    def borrow(self, edge: u8) -> None:
        self.world("items").system(Smith).forge(self.caller, edge)

    @call
    def steal(self, edge: u8) -> None:
        self.world("items").write(Sword(self.caller, edge))

    @view
    def lost(self) -> u8:
        return self.world("itmes").read(Sword, self.caller).edge


class Smith(System):
    sharpest: u8

    @init
    def open(self, sharpest: u8) -> None:
        self.sharpest = sharpest

    @call
    def forge(self, owner: Address, edge: u8) -> None:
        require(edge <= self.sharpest, "too sharp")
        self.world.write(Sword(owner, edge))

    @view
    def where(self) -> str:
        return self.world.namespace


class BetterSmith(Smith):
    @call
    def grind(self, owner: Address) -> None:
        sword = self.world.read(Sword, owner)
        sword.edge += 1
        self.world.write(sword)


@pytest.fixture
def world(chain: Chain) -> WorldHandle:
    """The namespace 'duel' of alice and the namespace 'items' of bob."""
    world = chain.deploy_world("duel", systems=[Duel], writers={Score: [Duel]}, sender="alice")
    chain.deploy_namespace(
        world, "items", systems=[Smith], writers={Sword: [Smith]}, init={Smith: (9,)}, sender="bob"
    )
    return world


def test_systems_and_models_are_in_their_namespace(world: WorldHandle, chain: Chain) -> None:
    alice, items = chain.accounts[0], world("items")
    items.system(Smith).forge(alice, 4)
    world.system(Duel).win(sender=alice)
    assert items.read(Sword, alice) == Sword(alice, 4)
    assert world.read(Score, alice) == Score(alice, 5)
    assert (items.all(Score), world.all(Sword)) == ([], [])
    assert world.system("items-Smith").where() == "items"


def test_namespace_is_found_by_name(world: WorldHandle, chain: Chain) -> None:
    found = chain.world("items")
    assert (found.address, found.namespace) == (world.address, "items")
    assert world.namespaces == found.namespaces == ["duel", "items"]
    assert chain.fork().world(found).namespace == "items"
    with pytest.raises(ValueError, match="the namespaces of its worlds are duel, items"):
        chain.world("itmes")
    with pytest.raises(TypeError, match="has no namespace 'itmes'; it has duel, items"):
        world("itmes")
    with pytest.raises(Reverted, match="World duel has no namespace 'itmes'"):
        world.system(Duel).lost()


def test_systems_call_each_other_across_namespaces(world: WorldHandle, chain: Chain) -> None:
    world.system(Duel).borrow(7, sender="carol")
    assert world("items").read(Sword, chain.account("carol")).edge == 7


def test_grants_are_of_one_namespace(world: WorldHandle, chain: Chain) -> None:
    duel, items = world.system(Duel), world("items")
    with pytest.raises(Reverted, match="Caller Duel has no write access on model items-Sword"):
        duel.steal(3)
    for tag in ("items-Sword", "items"):
        with pytest.raises(Reverted, match=f"is not an owner of (model|namespace) {tag}$"):
            world.grant_writer(tag, Duel, sender="alice")
        assert items.grant_writer(tag, duel, sender="bob").ok
        assert duel.steal(3, sender="carol").ok
        assert items.revoke_writer(tag, duel, sender="bob").ok
    with pytest.raises(TypeError, match="its namespaces are duel, items"):
        world.grant_writer("itmes-Sword", Duel)


def test_only_an_owner_registers_in_a_namespace(world: WorldHandle, chain: Chain) -> None:
    new = chain.deploy(Smith, world.address)
    with pytest.raises(Reverted, match="is not an owner of namespace items"):
        world.handle.register("items-Smith", new, sender="alice")
    with pytest.raises(Reverted, match="is a system of namespace items"):
        world.handle.register("duel-Smith", world.system("items-Smith"), sender="alice")
    with pytest.raises(Reverted, match="'Smith' is not the tag of a system: write duel-Smith"):
        world.handle.register("Smith", new, sender="alice")
    with pytest.raises(Reverted, match="World duel has the namespace items already"):
        chain.deploy_namespace(world, "items")


def test_upgrade_keeps_the_grants_and_the_namespace(world: WorldHandle, chain: Chain) -> None:
    chain.upgrade(world.system("items-Smith"), BetterSmith)
    assert world.system("items-Smith").grind("carol").ok
    assert world("items").read(Sword, chain.account("carol")).edge == 1


def test_replaced_system_keeps_only_what_others_granted(world: WorldHandle, chain: Chain) -> None:
    items, old = world("items"), world.system("items-Smith")
    world.grant_writer(Score, old, sender="alice")
    world.handle.register("items-Smith", chain.deploy(Smith, world.address), sender="bob")
    assert not items.is_writer(Sword, old)
    assert world.is_writer(Score, old)
    with pytest.raises(Reverted, match="Caller Smith has no write access on model items-Sword"):
        old.forge("carol", 1)


def test_one_class_works_in_two_namespaces(world: WorldHandle, chain: Chain) -> None:
    more = chain.deploy_namespace(
        world, "more", systems=[Smith], writers={"more": [Smith]}, init={Smith: (3,)}
    )
    assert more.system(Smith).address != world.system("items-Smith").address
    assert more.system(Smith).forge("carol", 3).ok
    assert [len(space.all(Sword)) for space in (more, world("items"))] == [1, 0]


def test_models_are_shown_with_their_namespace(world: WorldHandle, chain: Chain) -> None:
    duel, items, carol = world.system(Duel), world("items"), chain.account("carol")
    items.grant_writer(Sword, duel, sender="bob")
    receipt = duel.steal(3, sender=carol)
    assert [str(write) for write in receipt.writes][-1] == "Sword(carol).edge: 0 -> 3"
    assert [tuple(row) for row in chain.sql("select namespace, edge from Sword")] == [("items", 3)]
    node = Node(chain, {})
    assert [(found["namespace"], list(found["models"])) for found in rpc_worlds(node)] == [
        ("duel", ["Score", "Sword"]), ("items", ["Sword"])
    ]  # fmt: skip
    assert rpc_model(node, "items", "Sword", [str(carol)])["value"]["edge"] == 3


def test_models_are_not_read_by_another_class_of_that_name(
    world: WorldHandle, chain: Chain
) -> None:
    items, carol, other = world("items"), chain.account("carol"), sword_of_another_shape()
    items.system(Smith).forge(carol, 4)
    for read in (items.read, items.exists, items.history):
        with pytest.raises(TypeError, match=r"Sword of items is .*:Sword, not .*<locals>\.Sword$"):
            read(other, carol)
    with pytest.raises(TypeError, match="Sword of items is"):
        items.all(other)


def test_plan_deploys_namespaces(chain: Chain, tmp_path: Path) -> None:
    def plan(deployment: Deployment) -> None:
        world = deployment.deploy_world("duel", systems=[Duel], writers={Score: [Duel]})
        items = deployment.deploy_namespace(
            world, "items", systems=[Smith], writers={Sword: [Smith]}, init={Smith: (9,)}
        )
        items.system(Smith).forge("carol", 2)

    assert apply(chain, Journal(tmp_path / "plan.json"), plan)[-6:] == [
        "call duel.register_namespace('items')",
        "create items-Smith",
        "call duel.register('items-Smith', items-Smith)",
        "call duel.grant_writer('items-Sword', items-Smith)",
        "call items-Smith.open(9)",
        "call items-Smith.forge(carol, 2)",
    ]
