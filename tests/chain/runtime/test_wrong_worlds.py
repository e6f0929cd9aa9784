"""Worlds that cannot be deployed: a bad namespace, what is not a system, two models of one name."""

from __future__ import annotations

import pytest

from chain import (
    Address,
    Chain,
    Contract,
    Key,
    Reverted,
    System,
    call,
    init,
    model,
)
from chain.types import u8, u16
from tests.chain.toys import Scoring


class Opened(System):
    squares: u8

    @init
    def new(self, squares: u8) -> None:
        self.squares = squares


@pytest.mark.parametrize("namespace", ["", "two words", "9lives", "n" * 32, "mage-duel", "bühne"])
def test_bad_namespace_is_refused(chain: Chain, namespace: str) -> None:
    with pytest.raises(
        Reverted, match=f"^'{namespace}' is not a namespace: use 1 to 31 letters, digits and '_'"
    ):
        chain.deploy_world(namespace, systems=[])


def test_wrong_worlds_are_refused(chain: Chain) -> None:
    class Plain(Contract):
        @call
        def go(self) -> None:
            pass

    with pytest.raises(TypeError, match="Plain is not a System, so it cannot be part of a World"):
        chain.deploy_world("duel", systems=[Plain])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="init: Scoring is not among the systems or has no @init"):
        chain.deploy_world("duel", systems=[Scoring], init={Scoring: ()})
    with pytest.raises(TypeError, match=r"init: pass the arguments of Opened as a tuple: \(9,\)"):
        chain.deploy_world("duel", systems=[Opened], init={Opened: 9})  # type: ignore[dict-item]
    with pytest.raises(
        TypeError,
        match=r"'dule' is neither a model class nor the tag of a model .* its namespaces are duel",
    ):
        chain.deploy_world("duel", systems=[Scoring], writers={"dule": [Scoring]})
    with pytest.raises(TypeError, match=r"there is no World at 0xf39F"):
        chain.world(chain.accounts[0])


def test_two_models_of_one_name(chain: Chain) -> None:
    with pytest.raises(
        TypeError,
        match="the systems use two models called Score: a world has only one model of each name",
    ):
        chain.deploy_world("duel", systems=[Scoring, rival()])


def rival() -> type[System]:
    @model
    class Score:
        player: Key[Address]
        wins: u16

    class Rival(System):
        @call
        def score(self) -> None:
            self.world.write(Score(self.caller, 1))

    return Rival
