"""Matching of steps after a plan was edited: new ones are sent, changed ones ask, done ones stay."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Chain, Contract, World, call
from chain.deployment import Deployment
from chain.deployment.journal import Journal
from chain.deployment.preview import Script
from chain.deployment.steps import BESIDE, CHANGED, RESEND, UPGRADE
from chain.simulator.upgrade import CannotUpgrade
from tests.chain.deployment.arcade import Ladder, Purse, apply, inspect, try_out

ALICE, BOB, CAROL = Chain().accounts[:3]
Seeds = list[tuple[Any, int]]


class Notes(Contract):
    last: bytes

    @call
    def note(self, text: bytes) -> None:
        self.last = text


def seeding(*seeds: tuple[Any, int], **options: Any) -> Script:
    """A plan of a Ladder and of these calls."""

    def plan(deployment: Deployment) -> None:
        ladder = deployment.deploy(Ladder)
        for who, amount in seeds:
            ladder.seed(who, amount, **options)

    return plan


@pytest.fixture
def journal() -> Journal:
    return Journal()


@pytest.fixture
def seeded(chain: Chain, journal: Journal) -> Chain:
    apply(chain, journal, seeding((ALICE, 100), (BOB, 200)))
    return chain


def points(chain: Chain) -> list[int]:
    ladder = chain.handle(Ladder, chain.receipts[0].address)
    return [ladder.of(who) for who in (ALICE, BOB, CAROL)]


EDITS: dict[str, tuple[Seeds, list[str]]] = {
    "nothing": ([(ALICE, 100), (BOB, 200)], []),
    "a call before": ([(CAROL, 50), (ALICE, 100), (BOB, 200)], ["call Ladder.seed(carol, 50)"]),
    "a call between": ([(ALICE, 100), (CAROL, 50), (BOB, 200)], ["call Ladder.seed(carol, 50)"]),
    "another order": ([(BOB, 200), (ALICE, 100)], []),
    "the same again": ([(ALICE, 100), (BOB, 200), (BOB, 200)], ["call Ladder.seed(bob, 200)#2"]),
    "an argument": ([(ALICE, 100), (BOB, 250)], ["resend Ladder.seed(bob, 250)"]),
    "a call before and an argument": (
        [(CAROL, 50), (ALICE, 100), (BOB, 250)],
        ["call Ladder.seed(carol, 50)", "resend Ladder.seed(bob, 250)"],
    ),
    "a call less": ([(BOB, 200)], []),
}  # fmt: skip


@pytest.mark.parametrize(("seeds", "found"), EDITS.values(), ids=EDITS.keys())
def test_edited_plan_does_only_what_is_new(
    seeds: Seeds, found: list[str], seeded: Chain, journal: Journal
) -> None:
    assert apply(seeded, journal, seeding(*seeds), RESEND) == found
    assert len(seeded.receipts) == 3 + len(found)
    assert apply(seeded, journal, seeding(*seeds)) == []


def test_inserted_call_changes_no_other_points(seeded: Chain, journal: Journal) -> None:
    apply(seeded, journal, seeding((CAROL, 50), (ALICE, 100), (BOB, 200)))
    assert points(seeded) == [100, 200, 50]


def test_change_at_the_end_of_long_bytes_is_reported(chain: Chain, journal: Journal) -> None:
    def plan(deployment: Deployment) -> None:
        notes = deployment.deploy(Notes)
        with deployment.step("note"):
            notes.note(data)

    data = bytes(99)
    apply(chain, journal, plan)
    data = bytes(98) + b"1"
    assert inspect(chain, journal, plan)[-1].action == CHANGED


def test_changed_call_is_reported_and_not_sent(seeded: Chain, journal: Journal) -> None:
    edited = seeding((ALICE, 100), (BOB, 250))
    status = inspect(seeded, journal, edited)[2]
    assert status.action == CHANGED
    assert status.changes == ["Ladder.seed(bob, 200) is now Ladder.seed(bob, 250)"]
    apply(seeded, journal, edited)
    assert points(seeded) == [100, 200, 0]
    assert inspect(seeded, journal, edited)[2].action == CHANGED  # it is asked again


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "sender": ({"sender": BOB}, "its sender was alice and is bob"),
    "value": ({"value": 5}, "its value was 0 wei and is 5 wei"),
}


@pytest.mark.parametrize(("options", "says"), CHANGES.values(), ids=CHANGES.keys())
def test_other_sender_or_value_is_a_change(
    options: dict[str, Any], says: str, seeded: Chain, journal: Journal
) -> None:
    statuses = inspect(seeded, journal, seeding((ALICE, 100), (BOB, 200), **options))
    assert [(status.action, status.changes) for status in statuses[1:]] == [(CHANGED, [says])] * 2


def test_other_sender_of_a_contract_is_a_change(chain: Chain, journal: Journal) -> None:
    def owned(deployment: Deployment) -> None:
        sender = deployment.account(host)
        deployment.deploy(Ladder, sender=sender).seed(ALICE, 5, sender=sender)

    host = "host.testnet"
    apply(chain, journal, owned)
    host = "newhost.testnet"
    status, _ = inspect(chain, journal, owned)
    assert status.changes == ["its sender was host.testnet and is newhost.testnet"]
    with pytest.raises(CannotUpgrade, match="and it is already deployed"):
        apply(chain, journal, owned, UPGRADE)
    assert apply(chain, journal, owned, BESIDE) == ["beside Ladder", "call Ladder.seed(alice, 5)"]
    old, new = chain.account("host.testnet"), chain.account("newhost.testnet")
    assert [receipt.sender for receipt in chain.receipts] == [old, old, new, new]


def test_removed_step_is_reported_and_matched_when_restored(
    seeded: Chain, journal: Journal
) -> None:
    edited = seeding((BOB, 200))
    assert list(try_out(seeded, journal, edited).deployment.gone) == ["Ladder.seed(alice, 100)"]
    apply(seeded, journal, edited)
    assert journal.records["Ladder.seed(alice, 100)"]["status"] == "removed"
    assert apply(seeded, journal, seeding((ALICE, 100), (BOB, 200))) == []
    assert journal.records["Ladder.seed(alice, 100)"]["status"] == "done"


# Steps with names of their own


def named(name: str, amount: int = 100, **options: Any) -> Script:
    def plan(deployment: Deployment) -> None:
        ladder = deployment.deploy(Ladder)
        with deployment.step(name, **options):
            ladder.seed(ALICE, amount)

    return plan


def test_named_call_is_known_by_its_name(chain: Chain, journal: Journal) -> None:
    apply(chain, journal, named("first points"))
    status = inspect(chain, journal, named("first points", 70))[1]
    assert (status.name, status.action) == ("first points", CHANGED)


@pytest.mark.parametrize("before", [seeding((ALICE, 100)), named("other")])
def test_name_is_given_without_sending_again(
    before: Script, chain: Chain, journal: Journal
) -> None:
    apply(chain, journal, before)
    assert apply(chain, journal, named("first points")) == []
    assert list(journal.records) == ["Ladder", "first points"]


def test_renamed_contract_is_not_deployed_again(chain: Chain, journal: Journal) -> None:
    def plan(deployment: Deployment) -> None:
        with deployment.step(name):
            ladder = deployment.deploy(Ladder)
        ladder.seed(ALICE, amount)
        deployment.deploy(Purse, str(ladder.address), ladder)

    name, amount = "ladder", 1
    apply(chain, journal, plan)
    name = "big ladder"
    assert apply(chain, journal, plan) == []
    assert list(journal.records) == ["big ladder", "big ladder.seed(alice, 1)", "Purse"]
    amount = 2
    assert [status.action for status in inspect(chain, journal, plan)] == [
        "leave",
        CHANGED,
        "leave",
    ]


def test_two_contracts_of_a_class_have_names(chain: Chain, journal: Journal) -> None:
    def plan(deployment: Deployment) -> None:
        for who in order:
            with deployment.step(f"purse of {who}"):
                deployment.deploy(Purse, who, ALICE)

    order = ["ann", "ben"]
    apply(chain, journal, plan)
    order = ["cyd", "ben", "ann"]
    assert apply(chain, journal, plan) == ["create purse of cyd"]


# Calls that say when they are done


def test_call_is_sent_unless_its_condition_is_true(chain: Chain, journal: Journal) -> None:
    def plan(deployment: Deployment) -> None:
        ladder = deployment.deploy(Ladder)
        with deployment.step(
            "carol", unless=lambda chain: chain.handle(ladder).of(CAROL) >= amount
        ):
            ladder.seed(CAROL, amount)

    amount = 50
    assert apply(chain, journal, plan) == ["create Ladder", "call carol"]
    assert apply(chain, journal, plan) == []
    amount = 30
    assert apply(chain, journal, plan) == []  # there is enough, whoever gave it
    amount = 70
    assert apply(chain, journal, plan) == ["call carol"]
    assert points(chain) == [0, 0, 120]


def test_condition_may_ask_the_chain_itself(chain: Chain, journal: Journal) -> None:
    def plan(deployment: Deployment) -> None:
        with deployment.step("pay", unless=lambda chain: chain.balance(BOB) > 10**22):
            deployment.send(BOB, value=1)

    assert apply(chain, journal, plan) == ["call pay"]
    assert apply(chain, journal, plan) == []


# What is refused


def two(deployment: Deployment) -> None:
    with deployment.step("one"):
        deployment.deploy(Ladder).seed(ALICE, 1)


def both(deployment: Deployment) -> None:
    for name in ("one", "one"):
        with deployment.step(name):
            deployment.send(BOB)


def inside(deployment: Deployment) -> None:
    with deployment.step("one"), deployment.step("two"):
        pass


def conditional(deployment: Deployment) -> None:
    with deployment.step("one", unless=bool):
        deployment.deploy(World, "game")


REFUSED: dict[str, tuple[Script, str]] = {
    "two steps of a name": (both, "two steps are called 'one'"),
    "two steps in a scope": (two, "'one' is the name of one step, and this would be another"),
    "a scope inside": (inside, "'two' is inside 'one': a step has one name"),
    "a contract with a condition": (conditional, "'unless' is for calls"),
}


@pytest.mark.parametrize(("plan", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_unclear_step_is_refused(plan: Script, says: str, chain: Chain) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        plan(Deployment(chain))


def test_step_that_was_killed_gets_another_name(chain: Chain, journal: Journal) -> None:
    apply(chain, journal, named("first points"))
    journal.announce("first points", journal.records["first points"])
    journal.keep({"Ladder": journal.records["Ladder"]})
    assert apply(chain, journal, named("opening")) == ["resume opening"]
    assert (list(journal.records), len(chain.receipts)) == (["Ladder", "opening"], 2)


def test_call_that_was_not_needed_has_no_receipt(chain: Chain, journal: Journal) -> None:
    def plan(deployment: Deployment) -> None:
        with deployment.step("pay", unless=bool):
            sent.append(deployment.send(BOB, value=1))

    sent: list[Any] = []
    assert apply(chain, journal, plan) == []
    with pytest.raises(AttributeError, match="was not sent, so it has no receipt and no gas_used"):
        _ = sent[0].gas_used


def test_refused_step_takes_no_record_of_a_later_one(seeded: Chain, journal: Journal) -> None:
    edited = seeding((CAROL, 5000), (ALICE, 100), (BOB, 200))
    trial = try_out(seeded, journal, edited)
    assert "too many" in str(trial.failure)
    assert [status.action for status in trial.deployment.steps] == ["leave", "call"]


def test_renamed_step_that_can_be_done_only_once_is_known(chain: Chain, journal: Journal) -> None:
    def plan(deployment: Deployment) -> None:
        world = deployment.deploy_world("cup", systems=[])
        with deployment.step(name):
            world.handle.register_namespace("more")
        deployment.send(BOB, value=1)

    name = "open another"
    apply(chain, journal, plan)
    name = "open more"
    assert apply(chain, journal, plan) == []
