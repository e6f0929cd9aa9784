"""What a system reads from the words of its world is what the contract of the world would read, at the same price."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain import Address, Chain, Key, System, call, model
from chain.machine.frame import Frame
from chain.runtime.world import world_at
from chain.runtime.world_words import is_registered, is_writer, namespace_of
from chain.types import u8


@pytest.fixture
def chain() -> Chain:
    return Chain(guard=False)  # contracts and tests share lists and functions


Question = Callable[[Frame, Address], object]


@model
class Score:
    player: Key[Address]
    points: u8


class League(System):
    @call
    def work(self) -> None:
        job[0](self)


job: list[Callable[[Any], object]] = []

QUESTIONS: dict[str, tuple[Question, Question]] = {
    "namespace": (namespace_of, lambda words, who: world_at(words).namespace_of(who)),
    "registered": (is_registered, lambda words, who: who in world_at(words).registered),
    "may write": (
        lambda words, who: is_writer(words, "league", "Score", who) or may_write(words, who),
        lambda words, who: may_write(words, who),
    ),
}
RIGHTS = {
    "none": [],
    "writer": ["grant_writer:league-Score"],
    "writer of all": ["grant_writer:league"],
    "owner": ["grant_owner:league-Score"],
    "owner of all": ["grant_owner:league"],
    "former writer": ["grant_writer:league-Score", "revoke_writer:league-Score"],
    "former writer of all": ["grant_writer:league-Score", "revoke_writer:league-Score", "grant_writer:league"],
}  # fmt: skip


def may_write(words: Frame, who: Address) -> bool:
    return world_at(words).may_write("league", "Score", who)


def asked(world: Any, question: Question, who: Address) -> tuple[object, int, dict[int, int]]:
    """The answer that a system gets, its price, and the words that were read for it."""
    found: list[tuple[object, int, dict[int, int]]] = []

    def ask(system: Any) -> None:
        words = system.world._words
        words.warm.clear()  # as if nothing had been read
        gas, value = words.gas, question(words, who)
        found.append((value, gas - words.gas, dict(words.warm)))

    job[:] = [ask]
    world.system(League).work()
    return found[0]


@pytest.mark.parametrize("rights", RIGHTS)
@pytest.mark.parametrize("tag", ["", "league-Guest", "other-Guest"])
def test_answers_are_those_of_the_contract(chain: Chain, rights: str, tag: str) -> None:
    world, who = chain.deploy_world("league", systems=[League]), chain.accounts[3].address
    world.handle.register_namespace("other")
    if tag:
        world.handle.register(tag, who)
    for right in RIGHTS[rights]:
        entry, resource = right.split(":")
        getattr(world.handle, entry)(resource, who)
    for by_words, by_contract in QUESTIONS.values():
        assert asked(world, by_words, who) == asked(world, by_contract, who)


def test_refused_writer_pays_for_every_word_once(chain: Chain) -> None:
    world, who = chain.deploy_world("league", systems=[League]), chain.accounts[3].address
    value, gas, read = asked(
        world, lambda words, who: is_writer(words, "league", "Score", who), who
    )
    assert (value, gas, read) == (False, 0, {})
