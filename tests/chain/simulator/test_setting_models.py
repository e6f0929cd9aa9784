"""Models that a test puts in place: `with chain.setting(): world.write(Position(alice, 3))`."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

import pytest

from chain import Address, Chain, Key, Revert, System, World, call, model
from chain.simulator.world_handle import WorldHandle
from chain.types import u8


class Kind(Enum):
    WOOD = "wood"
    STONE = "stone"


@model
class Tile:
    row: Key[u8]
    owner: Key[Address]
    kind: Kind
    wear: u8
    notes: list[str]


class Wearing(System):
    @call
    def wear(self, row: u8) -> u8:
        tile = self.world.read(Tile, row, self.caller)
        tile.wear += 1
        self.world.write(tile)
        return tile.wear


def deployed(chain: Chain) -> WorldHandle:
    return chain.deploy_world("tiles", systems=[Wearing], writers={"tiles": [Wearing]})


@pytest.mark.parametrize("place", ["memory", "file", "node"])
def test_a_model_is_put_in_place(place: str, tmp_path: Path) -> None:
    near = Chain() if place != "file" else Chain.open(tmp_path / "t.chain", contracts=[Wearing])
    chain = Chain.connect(near.node, contracts=[Wearing]) if place == "node" else near
    near.declare(Wearing)
    near.declare(World)
    with chain:
        world, alice = deployed(chain), chain.accounts[0]
        count = len(chain.receipts)
        tile = Tile(2, alice, Kind.STONE, 6, ["a", "b"])
        with chain.setting():
            world.write(tile, Tile(3, alice, Kind.WOOD, 1, []))
            assert world.read(Tile, 2, alice) == tile
        assert len(chain.receipts) == count
        assert world.system(Wearing).wear(2, sender=alice).return_value == 7
        assert [each.wear for each in world.all(Tile)] == [7, 1]
        if place != "node":  # which knows only the slot
            asked = chain.sql("select wear, kind from Tile order by wear")
            assert [tuple(row) for row in asked] == [(1, "WOOD"), (7, "STONE")]
        with chain.setting():
            world.erase(tile)
        assert (world.exists(Tile, 2, alice), world.exists(Tile, 3, alice)) == (False, True)


def test_outside_of_a_setting_it_is_refused(chain: Chain) -> None:
    world, tile = deployed(chain), Tile(1, chain.accounts[0], Kind.WOOD, 1, [])
    for change in (world.write, world.erase):
        with pytest.raises(
            RuntimeError, match=r"Tile\(1, .*\) is not changed: .* 'with chain.setting\(\):'"
        ):
            change(tile)
    assert not world.all(Tile)


def test_what_does_not_fit_is_refused_and_an_anchor_undoes(chain: Chain) -> None:
    world, alice = deployed(chain), chain.accounts[0]
    with chain.anchor(), chain.setting():
        with pytest.raises(Revert, match=r"Tile.wear = 256 does not fit u8"):
            world.write(Tile(1, alice, Kind.WOOD, 256, []))
        with pytest.raises(TypeError, match="is not a model"):
            world.write(5)
        tile = Tile(1, alice, Kind.WOOD, 1, [])
        tile.waer = 2  # type: ignore[attr-defined]
        with pytest.raises(TypeError, match="'waer' is not a member of Tile"):
            world.write(tile)
        world.write(Tile(1, alice, Kind.WOOD, 5, []))
        assert world.exists(Tile, 1, alice)
    assert not world.exists(Tile, 1, alice)
