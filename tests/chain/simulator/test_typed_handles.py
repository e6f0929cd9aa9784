"""Handles as a type checker sees them: mypy checks this file, where each ignored error must be one."""

from __future__ import annotations

from typing import assert_type

import pytest

from chain import Address, Chain, Contract, Reverted, Set, call
from chain.ledger.receipts import Receipt
from chain.simulator.handle import Handle
from chain.types import u64
from tests.chain.helpers import untyped
from tests.chain.toys import Added, Counter, Score, Scoring


class Club(Contract):
    members: Set[Address]

    @call
    def enter(self, who: list[Address], guest: Address | None = None) -> u64:
        for member in who:
            self.members.add(member)
        return len(self.members)


def test_entries_fields_and_events_are_typed(chain: Chain) -> None:
    counter = chain.deploy(Counter)
    assert_type(counter, Handle[Counter])
    receipt = counter.add(3, sender=chain.accounts[1], check=True)
    assert_type(receipt, Receipt)
    assert_type(counter.total(), u64)
    assert_type(counter.fields.kept[0] if counter.fields.kept else 0, u64)
    assert_type(receipt.events.one(Added), Added)
    assert_type(receipt.events[Added], list[Added])
    assert_type(counter.deployment, Receipt)
    assert counter.add.simulate(1).ok
    assert counter.add(by=2).events.one(Added).by == 2


def test_setup_of_a_system_is_an_entry_and_unknown_contracts_are_any(chain: Chain) -> None:
    world = chain.deploy_world("game", systems=[Scoring], writers={Score: [Scoring]})
    assert_type(world.system(Scoring).win(3), Receipt)
    assert chain.contract("Scoring").win(4).ok


def test_arguments_are_wider_from_outside(chain: Chain) -> None:
    club = chain.deploy(Club)
    assert club.enter(chain.accounts[:2]).return_value == 2
    assert club.enter((club, "carol"), guest="bob").return_value == 4


def test_wrong_calls_are_errors_of_types(chain: Chain) -> None:
    counter = chain.deploy(Counter)
    with pytest.raises(AttributeError, match="no entry 'ad'"):
        counter.ad(3)  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="by = 'three' is not a whole number"):
        counter.add("three")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs 'by'"):
        counter.add()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="has no argument 'to'"):
        counter.total(to=3)  # type: ignore[call-arg]
    with pytest.raises(Reverted, match="nothing to add"):
        untyped(counter).add(0)
