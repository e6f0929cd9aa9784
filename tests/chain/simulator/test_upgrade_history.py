"""The history of an upgraded contract can be read and played again, also if only the present class is available."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from chain import Chain, Contract
from chain.ledger.decoded.address_book import AddressBook
from chain.metering.program import program_of
from chain.replays import BadTranscript, record, replay
from chain.replays.verify import verify
from chain.simulator.catalogue import ContractNotFound
from chain.simulator.handle import Handle
from chain.simulator.upgrade import CannotUpgrade
from chain.spec.upgrade_entry import Upgraded
from tests.chain.versions import DOUBLE, FIRST, Edit

Open = Callable[..., Chain]


@pytest.fixture(params=["memory", "file", "node"])
def again(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the one chain with these classes: in memory, from its file, or in its node."""
    played, opened = Chain(), list[Chain]()

    def come(*contracts: type[Contract]) -> Chain:
        if request.param == "file":
            for chain in opened:
                chain.close()
            opened.append(Chain.open(tmp_path / "played.chain", contracts=contracts))
            return opened[-1]
        for contract in contracts:
            played.declare(contract)
        if request.param == "node":
            return Chain.connect(played.node, contracts=contracts)
        return played

    yield come
    for chain in opened:
        chain.close()


def play(again: Open, edit: Edit) -> tuple[Chain, Handle]:
    """Play two games, with an upgrade of the first between two moves; open the chain again with the new class alone."""
    first = edit(FIRST)
    chain = again(first)
    game = chain.deploy(first)
    chain.deploy(first)
    game.add(1, sender=chain.accounts[1])
    second = edit(DOUBLE)
    chain = again(second)
    chain.upgrade(game.address, second)
    made = chain.handle(second, game.address)
    made.add(1)
    return chain, made


def test_upgrade_is_a_transaction(again: Open, edit: Edit) -> None:
    chain, game = play(again, edit)
    receipt = chain.receipts[3]
    digests = [chain.receipts[0].program, chain.receipts[4].program]
    before, after = (program.digest for program in digests if program is not None)
    assert (receipt.contract, receipt.entry, receipt.args) == ("Game", "upgrade", {"digest": after})
    assert [receipt.events.one(Upgraded), chain.events("Upgraded").one()] == [
        Upgraded(before, after)
    ] * 2
    assert chain.code(game.address) == program_of(game.contract).code
    assert f"4 +4s alice: upgrade Game to Game@{after.hex()[:8]} ok [" in chain.activity()
    assert f"Game.upgrade(0x{after.hex()})" in str(receipt.trace)


def test_history_keeps_its_words(again: Open, edit: Edit) -> None:
    chain, game = play(again, edit)
    moves = chain.receipts.where(contract="Game", entry="add")
    assert [(r.args, r.return_value, r.sender) for r in moves] == [
        ({"n": 1}, 1, chain.accounts[1]),
        ({"n": 1}, 3, chain.accounts[0]),
    ]
    assert [event.total for event in chain.events("Added")] == [1, 3]
    assert chain.receipts.where().by_contract(game).count() == 4
    # Those that ran this very class.
    assert chain.receipts.where().by_contract(game.contract).count() == 1
    assert game.fields.total == 3


def test_names_and_numbers_stay(again: Open, edit: Edit) -> None:
    chain, game = play(again, edit)
    assert [*AddressBook(chain.ledger).contracts.values()] == ["Game", "Game#2"]
    assert AddressBook(chain.ledger).name(game.address) == "Game"
    chain.deploy(game.contract)
    assert [*AddressBook(chain.ledger).contracts.values()] == ["Game", "Game#2", "Game#3"]


def test_second_upgrade_changes_nothing(again: Open, edit: Edit) -> None:
    chain, game = play(again, edit)
    before = chain.block_hash()
    assert chain.upgrade(game, game.contract) == chain.receipts[3]
    assert chain.block_hash() == before


def test_upgrade_names_the_field_in_the_way(again: Open, edit: Edit) -> None:
    chain, game = play(again, edit)
    before = chain.block_hash()
    third = edit(FIRST.replace("total: u64\n        names", "names").replace("self.total", "n"))
    with pytest.raises(
        CannotUpgrade, match=r"Game at 0x\w+ cannot be upgraded in place: Game\.total was removed"
    ):
        again(third).upgrade(game.address, third)
    assert again(third).block_hash() == before


def test_past_runs_what_was_deployed_then(again: Open, edit: Edit) -> None:
    """In a file it runs as it was kept; from a node, only imported classes run."""
    chain, game = play(again, edit)
    assert chain.at(4).handle(game).add.simulate(1).value == 3
    if chain.receipts[0].is_undeclared and chain.driver.is_copy:
        with pytest.raises(
            ValueError, match="and its class, as it was at the deployment, is not declared"
        ):
            chain.at(3).handle(game).add.simulate(1)
    else:
        assert chain.at(3).handle(game).add.simulate(1).value == 2


def test_other_name_after_an_upgrade(edit: Edit) -> None:
    chain, first = Chain(), edit(FIRST)
    games = [chain.deploy(first), chain.deploy(first)]
    second = edit(
        FIRST.replace("class Game", "class Match") + "\n\n    class Game(Contract):\n        pass\n"
    )
    match = sys.modules[second.__module__].Match
    chain.upgrade(games[0], match)
    assert [*AddressBook(chain.ledger).contracts.values()] == ["Match", "Game#2"]
    assert AddressBook(chain.ledger).find("Game") == games[0].address  # as it was called
    assert [receipt.contract for receipt in chain.receipts] == ["Game", "Game", "Game"]
    assert chain.handle(match, games[0].address).add(1).contract == "Match"
    chain.upgrade(games[0], first)
    assert [
        line.partition(" [")[0] for line in chain.activity().split("\n") if line[:1].isdigit()
    ] == [
        "1 +1s alice: deploy Game() ok",
        "2 +2s alice: deploy Game() as Game#2",
        f"3 +3s alice: upgrade Game to Match@{program_of(match).digest.hex()[:8]} ok",
        "4 +4s alice: Match.add(1) -> 1",
        f"5 +5s alice: upgrade Match to Game@{program_of(first).digest.hex()[:8]} ok",
    ]


def test_own_entry_called_upgrade_is_another(edit: Edit, chain: Chain) -> None:
    own = (
        "        @call\n        def upgrade(self, digest: u64) -> u64:\n            return digest\n"
    )
    first = edit(FIRST + own)
    game = chain.deploy(first)
    assert game.upgrade(5).return_value == 5
    second = edit(DOUBLE + own)
    chain.upgrade(game, second)
    assert game.upgrade(6).return_value == 6
    text = record(chain)
    assert '"entry":"upgrade","args":{"digest":6}' in text and '"upgrade":"Game@2"' in text
    assert replay(text, contracts=[first, second]).ok


def test_upgrades_are_asked_in_sql(again: Open, edit: Edit) -> None:
    chain, game = play(again, edit)
    (row,) = chain.sql("select after, block from Upgraded")
    assert row["after"] == f"0x{program_of(game.contract).digest.hex()}" and row["block"] == 4
    names = chain.sql("select contract, entry from receipts order by position")
    assert [tuple(each) for each in names] == [
        ("Game", None), ("Game", None), ("Game", "add"), ("Game", "upgrade"), ("Game", "add"),
    ]  # fmt: skip


def test_upgrades_are_readable_in_the_file(tmp_path: Path, edit: Edit) -> None:
    """This holds after an upgrade that was reverted, and beside a contract's own event of that name."""
    first, second, third = edit(FIRST), edit(DOUBLE), edit(FIRST.replace("Added", "Upgraded"))
    path = tmp_path / "a.chain"
    with Chain.open(path, contracts=[first, second]) as chain:
        game = chain.deploy(first)
        with chain.anchor():
            chain.upgrade(game, second)
    with Chain.open(path, contracts=[first, second, third], check=True) as chain:
        chain.upgrade(game.address, second)
        chain.deploy(third).add(3)
    with closing(sqlite3.connect(path)) as reader:
        digest = f"0x{program_of(second).digest.hex()}"
        assert reader.execute("select after, block from Upgraded").fetchall() == [(digest, 2)]
        assert reader.execute("select total from Game_Upgraded").fetchall() == [(3,)]
        whose = "select name, contract from tables where name like '%Upgraded' order by 1"
        assert reader.execute(whose).fetchall() == [("Game_Upgraded", "Game"), ("Upgraded", None)]
    with Chain.open(path, contracts=[third], check=True) as chain:
        assert chain.sql("select block from Upgraded") == [(2,)]


@pytest.mark.parametrize(("address", "told"), [
    ("0x" + "11" * 20, "cannot be upgraded to Game: there is none"),
    (None, "the account holds bytecode, not a Python contract"),
])  # fmt: skip
def test_what_is_not_a_contract_stays(
    address: str | None, told: str, edit: Edit, chain: Chain
) -> None:
    where = address or chain.send(None, bytes.fromhex("600160005360016000f3")).address
    with pytest.raises(CannotUpgrade, match=told):
        chain.upgrade(where, edit(FIRST))


def test_class_that_nobody_knows_cannot_be_compared(edit: Edit, chain: Chain) -> None:
    where, first = chain.accounts[3], edit(FIRST)
    chain.set_code(where, program_of(first).code)
    second = edit(DOUBLE)
    with pytest.raises(
        CannotUpgrade, match=r"its present class is unknown; .* chain\.declare first"
    ):
        chain.upgrade(where, second)
    chain.declare(first)
    assert chain.upgrade(where, second).entry == "upgrade"


# Playing it again


def test_upgraded_chain_is_played_again(again: Open, edit: Edit) -> None:
    chain, game = play(again, edit)
    text = record(chain)
    first = edit(FIRST)
    told = [json.loads(line) for line in text.splitlines()]
    assert told[1:3] == [
        {
            "contract": name,
            "class": f"{first.__module__}:Game",
            "digest": f"0x{program_of(cls).digest.hex()}",
        }
        for name, cls in (("Game", first), ("Game@2", game.contract))
    ]
    gas = chain.receipts[3].gas_used
    asked = {"block": 4, "sender": "alice", "to": "Game", "upgrade": "Game@2", "gas_used": gas}
    assert told[6] == asked
    for classes in ([first, game.contract], [game.contract, first]):
        played = replay(text, contracts=classes)
        assert played.ok, str(played.difference)
        assert played.text == text


def test_missing_version_is_named(again: Open, edit: Edit) -> None:
    chain, game = play(again, edit)
    played = replay(record(chain), contracts=[game.contract])
    assert played.difference is not None
    told = str(played.difference).split("\n")
    assert "Game.add has a different outcome" in told[0]
    assert told[-1].startswith("the source of Game as of 0x") and "is missing" in told[-1]


def test_same_moves_of_another_version_are_reported_apart(edit: Edit) -> None:
    chain, first = Chain(), edit(FIRST)
    game = chain.deploy(first)
    game.add(1)
    same = edit(FIRST.replace("return self.total", "return self.total + 0"))
    chain.upgrade(game, same)
    game.add(1)
    text = record(chain)
    assert replay(text, contracts=[same], moves_only=True).ok
    difference = replay(text, contracts=[same]).difference
    assert "except the hash of the chain" in str(difference) and "the source of Game as of" in str(
        difference
    )


def test_edited_chain_is_recorded_without_its_class(edit: Edit, tmp_path: Path) -> None:
    first = edit(FIRST)
    with Chain.open(tmp_path / "a.chain", contracts=[first]) as chain:
        chain.deploy(first).add(1)
        whole = record(chain).split("\n")
    with Chain.open(tmp_path / "a.chain", contracts=[edit(DOUBLE)]) as chain:
        text = record(chain)
    found = text.split("\n")
    digest = f"0x{program_of(first).digest.hex()}"
    assert json.loads(whole[1]) | {"digest": digest} == json.loads(found[1])
    assert [whole[0], *whole[2:]] == [found[0], *found[2:]]
    assert replay(text, contracts=[first]).ok


def test_verify_lists_what_it_could_not_play(edit: Edit) -> None:
    chain, first = Chain(), edit(FIRST)
    game = chain.deploy(first)
    game.add(1)
    second = edit(DOUBLE)
    chain.upgrade(game, second)
    verdict = verify(record(chain), [first.__module__], seeds=(0, 1))
    assert not verdict.ok
    assert "it has the same result 2 times, but not the recorded one" in str(verdict)
    assert "the source of Game as of 0x" in str(verdict)


@pytest.mark.parametrize(("line", "error", "told"), [
    ('"contract":"Game","class":"nowhere:Game","digest":"0x1"', BadTranscript, 'line 2: "digest":"0x1" cannot be read'),
    ('"contract":"Game","class":"nowhere:Game"', ContractNotFound, "nowhere:Game is not among the available contracts"),
    ('"block":1,"sender":"alice","to":"bob","upgrade":"Game@2"', BadTranscript, "line 2: no line defines the contract Game@2"),
])  # fmt: skip
def test_bad_line_is_reported(line: str, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        replay(f'{{"transcript":2}}\n{{{line}}}\n')
