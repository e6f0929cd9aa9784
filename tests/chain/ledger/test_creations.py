"""The contracts that a chain's transactions created: kept as they happen, undone with them, and stored in its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from chain import Address, Chain, Contract, Revert, call, view
from chain.types import u64


class Room(Contract):
    n: u64

    @call
    def enter(self) -> None:
        self.n += 1


class House(Contract):
    @call
    def build(self) -> Address:
        return self.deploy(Room)

    @call
    def fail(self) -> None:
        self.deploy(Room)
        raise Revert("the roof is missing")


class Palace(House):
    @view
    def halls(self) -> u64:
        return 3


def described(chain: Chain) -> list[tuple[str, str, int]]:
    """Name, class and position of the creating receipt of each contract."""
    return [(each.name, each.program.spec.name, each.receipt.position) for each in chain.contracts]


def test_contracts_are_reported_with_their_creation(chain: Chain) -> None:
    assert chain.contracts == []
    house = chain.deploy(House)
    house.fail(check=False)
    built = house.build()
    assert described(chain) == [("House", "House", 0), ("Room", "Room", 2)]
    assert chain.contracts[1].address == built.return_value
    chain.handle(Room, built.return_value).enter()
    assert chain.contracts[1].receipt == built


def test_undone_contracts_are_gone(chain: Chain) -> None:
    house = chain.deploy(House)
    with chain.anchor():
        house.build()
        assert len(chain.contracts) == 2
        fork = chain.fork()
    assert described(chain) == [("House", "House", 0)]
    house.build()
    fork.handle(house).build()
    assert [each[0] for each in described(fork)] == ["House", "Room", "Room#2"]
    assert described(chain) == [("House", "House", 0), ("Room", "Room", 1)]


def test_upgraded_contract_keeps_its_creation(chain: Chain) -> None:
    house = chain.deploy(House)
    chain.upgrade(house, Palace)
    assert described(chain) == [("Palace", "Palace", 0)]
    assert [creation.is_upgrade for creation in chain.ledger.creations.rows] == [False, True]


@pytest.mark.parametrize("check", [False, True])
def test_file_keeps_creations(tmp_path: Path, check: bool) -> None:
    path = tmp_path / "houses.chain"
    with Chain.open(path) as chain:
        house = chain.deploy(House)
        house.build()
        with chain.anchor():
            house.build()
        expected = described(chain)
    with Chain.open(path, contracts=[House, Room], check=check) as again:
        assert again.ledger.creations._rows != []
        assert described(again) == expected == [("House", "House", 0), ("Room", "Room", 1)]
        again.handle(house).build()
        assert described(again)[2:] == [("Room#2", "Room", 2)]
