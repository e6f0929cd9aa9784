"""An upgrade replaces a contract's code: a transaction with a receipt and an event, after which all history is readable."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest

from chain import Address, Chain, Contract, InvalidTransaction, System, call, reverts, view
from chain.metering.program import program_of
from chain.simulator.catalogue import ContractCatalogue, ContractNotFound
from chain.simulator.reload_package import Package
from chain.spec.contracts import UPGRADE
from chain.spec.upgrade_entry import SIGNATURE, Upgraded
from chain.types import bytes32
from tests.chain.versions import DOUBLE, FIRST, Edit

OTHER_TYPE = FIRST.replace("Map[u64, str]", "Map[u64, u64]")


def to(cls: type[Contract]) -> bytes:
    """The bytes of an upgrade."""
    return UPGRADE.encode_args((program_of(cls).digest,), {})


# The transaction


def test_contract_of_an_unknown_class_is_upgraded_like_any(edit: Edit) -> None:
    chain, plain = Chain(), Chain()
    first, second = edit(FIRST), edit(DOUBLE)
    for each in (chain, plain):
        game = each.deploy(first)
        game.add(1)
        if each is chain:
            forget_all(each)
        each.declare(second)
        each.send(game.address, to(second), gas=60_000)
        game.add(5)
        each.send(game.address, to(second), value=1)
    assert chain.receipts[3].return_value == 11
    assert chain.block_hash() == plain.block_hash()


def forget_all(chain: Chain) -> None:
    """Forget the classes, as in a file that is opened without them."""
    chain.ledger.artifacts.items()  # which the file has
    chain.machine.programs.clear()
    chain.machine._by_code.clear()


def test_refused_upgrade_is_explained(edit: Edit, chain: Chain) -> None:
    game, second = chain.deploy(edit(FIRST)), edit(DOUBLE)
    chain.declare(second)
    root = chain.state_root()
    receipt = chain.send(game.address, to(second), value=1)
    assert receipt.error is not None
    assert receipt.error.text == "an upgrade takes no value"
    frame, _ = chain.call(game.address, to(second))
    assert frame.failure is None  # it was undone
    assert chain.code(game.address) == program_of(game.contract).code
    assert chain.state_root() != root  # the nonce and the fee


ABI = [
    {
        "type": "function", "name": "boardchain_upgrade", "outputs": [], "stateMutability": "nonpayable",
        "inputs": [{"name": "digest", "type": "bytes32"}],
    }
]  # fmt: skip


class Looker(Contract):
    @view
    def look(self, where: Address, digest: bytes32) -> None:
        self.abi(where, ABI).boardchain_upgrade(digest)

    @call
    def act(self, where: Address, digest: bytes32) -> None:
        self.abi(where, ABI).boardchain_upgrade(digest)


def test_contract_upgrades_another(edit: Edit, chain: Chain) -> None:
    game, looker, second = chain.deploy(edit(FIRST)), chain.deploy(Looker), edit(DOUBLE)
    digest = chain.declare(second).digest
    with reverts("a view cannot upgrade a contract"):
        looker.look(game.address, digest)
    looker.act(game.address, digest)
    assert game.add(1).return_value == 2


def test_unknown_code_is_refused_unmined(edit: Edit, chain: Chain) -> None:
    game, second = chain.deploy(edit(FIRST)), edit(DOUBLE)
    blocks, root = len(chain.blocks), chain.state_root()
    told = (
        r"no contract with digest 0x\w{64} was declared on this chain: .*boardchain node --reload"
    )
    for where, data in ((game.address, to(second)), (None, program_of(second).initcode)):
        with pytest.raises(InvalidTransaction, match=told):
            chain.send(where, data)
    assert (len(chain.blocks), chain.state_root()) == (blocks, root)
    assert game.add(1).ok


def test_upgrade_can_be_undone(edit: Edit, chain: Chain) -> None:
    game, second = chain.deploy(edit(FIRST)), edit(DOUBLE)
    with chain.anchor():
        chain.upgrade(game, second)
        assert game.add(1).return_value == 2
    assert game.add(1).return_value == 1


def test_past_runs_what_it_had(edit: Edit, chain: Chain) -> None:
    game, second = chain.deploy(edit(FIRST)), edit(DOUBLE)
    game.add(1)
    receipt = chain.upgrade(game, second)
    game.add(1)
    past = [chain.at(block).handle(game).add.simulate(1).value for block in (2, 3, 4)]
    assert (receipt.block_number, past) == (3, [2, 3, 5])
    assert chain.at(2).handle(second, game.address).fields.total == 1
    forked = chain.fork(at=2)
    assert [each.handle(game).add(5).return_value for each in (forked, chain)] == [6, 13]


# Reloading an edited package


def test_package_is_taken_up_again(edit: Edit, tmp_path: Path, chain: Chain) -> None:
    first = edit(FIRST)
    package, game = offering(chain, first), chain.deploy(first)
    assert not package.is_edited
    edit_only(first, DOUBLE)
    assert package.is_edited
    assert [each.spec.name for each in package.reload()] == ["Game"]
    second = package.offered.find("Game")
    assert (package.is_edited, second is first) == (False, False)
    assert [game.add(1).return_value, chain.deploy(second).add(1).return_value] == [1, 2]
    assert {program_of(first).digest, program_of(second).digest} <= set(chain.machine.programs)
    assert package.reload() == []


def offering(chain: Chain, cls: type) -> Package:
    """The package of a class as a node has it."""
    offered = ContractCatalogue(cls.__module__)
    for each in offered.classes:
        chain.declare(each)
    return Package(chain, offered)


def edit_only(cls: type, text: str) -> None:
    """Edit the module of a class and import nothing."""
    Path(str(sys.modules[cls.__module__].__file__)).write_text(dedent(text))


@pytest.mark.parametrize(("text", "told"), [
    ("class Game(", r"arena_\d+.py:1: this is not valid Python"),
    ("import nothing_of_this_name", "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
    (FIRST.replace("n: u64", "n"), "argument 'n' has no type"),
    (FIRST.replace("self.total += n", "print(id(self))"), r"Game is not deployed: the guard found"),
], ids=["no Python", "no module", "no declaration", "guard"])  # fmt: skip
def test_broken_edit_changes_nothing(text: str, told: str, edit: Edit, chain: Chain) -> None:
    first = edit(FIRST)
    package, game = offering(chain, first), chain.deploy(first)
    edit_only(first, text)
    with pytest.raises(ContractNotFound, match=told):
        package.reload()
    assert not package.is_edited  # it is not tried again before the next edit
    assert package.offered.find("Game") is first is sys.modules[first.__module__].Game
    assert game.add(1).return_value == 1 and chain.deploy(first).add(1).return_value == 1
    edit_only(first, DOUBLE)
    assert len(package.reload()) == 1


def test_module_beside_the_package_is_reloaded_too(
    edit: Edit, tmp_path: Path, chain: Chain
) -> None:
    beside = tmp_path / "arena_rules.py"
    beside.write_text("STEP = 1\n")
    first = edit(
        FIRST.replace("+= n", "+= n * STEP").replace(
            "\n", "\n    from arena_rules import STEP\n", 1
        )
    )
    package = offering(chain, first)
    beside.write_text("STEP = 9\n")
    assert package.is_edited
    (new,) = package.reload()
    assert chain.deploy(new.spec.cls).add(1).return_value == 9
    del sys.modules["arena_rules"]


def test_files_that_no_contract_reads_are_not_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chain: Chain
) -> None:
    folder = tmp_path / "watched_arena"
    folder.mkdir()
    (folder / "__init__.py").write_text(dedent(FIRST))
    monkeypatch.syspath_prepend(tmp_path)
    package = offering(chain, ContractCatalogue(folder.name).find("Game"))
    for name in ("node_modules/left-pad", ".git", "__pycache__"):
        (folder / name).mkdir(parents=True)
        (folder / name / "new.js").write_text("")
    assert not package.is_edited
    (folder / "cards.json").write_text("[]")
    assert package.is_edited
    del sys.modules[folder.name]


def test_factory_makes_what_it_made_before(edit: Edit, chain: Chain) -> None:
    factory = """
        class Factory(Contract):
            @call
            def make(self) -> Address:
                return self.deploy(Game)
    """
    first = edit(dedent(FIRST) + dedent(factory))
    package = offering(chain, first)
    made = chain.deploy(package.offered.find("Factory"))
    edit_only(first, dedent(DOUBLE) + dedent(factory))
    package.reload()
    assert chain.handle(first, made.make().return_value).add(1).return_value == 1


# Systems


SCORING = """
    from chain import Key, System, call, model
    from chain.types import Address, u64

    @model
    class Score:
        player: Key[Address]
        points: u64

    class Game(System):
        @call
        def win(self, points: u64) -> None:
            score = self.world.read(Score, self.caller)
            score.points += points
            self.world.write(score)
"""


def test_system_is_upgraded(edit: Edit, chain: Chain) -> None:
    first: type[System] = edit(SCORING)
    world = chain.deploy_world("arcade", systems=[first])
    score = sys.modules[first.__module__].Score
    world.grant_writer("arcade", first)
    world.system(first).win(1)
    second = edit(SCORING.replace("+= points", "+= 2 * points"))
    chain.upgrade(world.system("Game"), second)
    world.system(second).win(1)
    assert world.read(score, chain.accounts[0]).points == 3
    assert [each.points for each in world.all(score)] == [3]
    assert world.system("Game").contract is second
    assert chain.receipts.where(contract="Game", entry="win").count() == 2


def test_author_cannot_take_the_entry(edit: Edit) -> None:
    assert (UPGRADE.signature, UPGRADE.selector.hex()) == (SIGNATURE, "347e7987")
    assert Upgraded.__event__.signature == "Upgraded(bytes32,bytes32)"  # type: ignore[attr-defined]
