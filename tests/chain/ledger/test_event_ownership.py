"""An event belongs to the contract whose code emitted it, even if others have an event of the same signature."""

from __future__ import annotations

import io
import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from chain import Chain, Contract, Key, System, call, event
from chain.cli.main import cli
from chain.replays import record, replay
from chain.testing import assert_events
from chain.types import Address, u8

TOKEN = """
from chain import Address, Contract, Key, call, event
from chain.types import u256

@event
class Transfer:
    sender: Key[Address]
    to: Key[Address]
    value: {value}

class {name}(Contract):
    @call
    def move(self, to: Address, value: u256) -> None:
        self.emit(Transfer(self.caller, to, value))
"""
GAME = """
from chain import Address, Contract, Key, call, event
from chain.types import u8

@event
class Moved:
    player: Key[Address]
    {field}: u8

class {name}(Contract):
    @call
    def move(self, to: u8) -> None:
        self.emit(Moved(self.caller, to))
"""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a module of its text."""

    def make(module: str, text: str, **words: str) -> ModuleType:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}" / f"{module}.py"
        path.parent.mkdir()
        path.write_text(text.format(**words))
        spec = spec_from_file_location(module, path)
        assert spec and spec.loader
        made = module_from_spec(spec)
        monkeypatch.setitem(sys.modules, module, made)
        spec.loader.exec_module(made)
        return made

    return make


@pytest.fixture
def tokens(made: Any) -> tuple[Any, Any]:
    coins = made("coins", TOKEN, name="Coin", value="u256")
    return coins, made("items", TOKEN, name="Item", value="Key[u256]")


@pytest.fixture
def games(made: Any) -> tuple[Any, Any]:
    return made("first", GAME, name="First", field="square"), made(
        "second", GAME, name="Second", field="spot"
    )


def played(modules: tuple[Any, Any], names: tuple[str, str], chain: Chain | None = None) -> Chain:
    """Both contracts, one after the other and then each once more."""
    chain = chain or Chain()
    first, second = (
        chain.deploy(getattr(module, name)) for module, name in zip(modules, names, strict=True)
    )
    for number, contract in enumerate((first, second, first, second), 1):
        args = (chain.accounts[2], number) if "coins" in sys.modules else (number,)
        contract.move(*args, sender=chain.accounts[number % 2])
    return chain


@pytest.fixture
def market(tokens: Any) -> Chain:
    return played(tokens, ("Coin", "Item"))


@pytest.fixture
def club(games: Any) -> Chain:
    return played(games, ("First", "Second"))


def test_tokens_and_items_on_one_chain(market: Chain, tokens: Any) -> None:
    coins, items = tokens
    values = [[event.value for event in receipt.events] for receipt in market.receipts]
    assert values == [[], [], [1], [2], [3], [4]]
    assert [event.value for event in market.events(coins.Transfer)] == [1, 3]
    assert [event.value for event in market.events(items.Transfer)] == [2, 4]
    assert market.events(coins.Transfer).count() == 2
    assert market.events(coins.Transfer).where(lambda e: e.value > 1).one().value == 3


def test_games_with_other_names_for_a_field(club: Chain, games: Any) -> None:
    first, second = games
    assert club.receipts[2].events.one(first.Moved).square == 1
    assert club.receipts[3].events.one(second.Moved).spot == 2
    assert [each.square for each in club.events(first.Moved)] == [1, 3]
    assert [each.spot for each in club.events(second.Moved)] == [2, 4]
    assert_events(club, first.Moved, second.Moved, (first.Moved, {"square": 3}))
    assert_events(club.receipts[5], second.Moved(club.accounts[0], 4))


@pytest.mark.parametrize("name", ["Move", "First.Moved", "moved"])
def test_receipt_refuses_unknown_events(club: Chain, name: str) -> None:
    with pytest.raises(TypeError, match=f"'{name}'"):
        club.receipts[2].events[name]
    assert club.receipts[0].events["Moved"] == []


@pytest.mark.parametrize(("of", "fields", "found"), [
    (0, {"square": 3}, [3]), (0, {"square": 2}, []), (1, {"spot": 2}, [2]),
    (0, {"player": 1}, [1, 3]), (1, {"player": 1}, []), (1, {"player": 0, "spot": 4}, [4]),
])  # fmt: skip
def test_fields_of_events_that_share_a_topic(
    club: Chain, games: Any, of: int, fields: dict[str, int], found: list[int]
) -> None:
    asked = {**fields, "player": club.accounts[fields["player"]]} if "player" in fields else fields
    events = club.events(games[of].Moved, **asked)
    assert [getattr(each, ("square", "spot")[of]) for each in events] == found
    assert events.count() == len(found)


def test_index_follows_the_chain_back_and_forth(club: Chain, games: Any) -> None:
    query = club.events(games[0].Moved, square=3)
    assert query.count() == 1
    with club.anchor():
        club.handle(games[0].First, club.receipts[0].address).move(3)
        club.handle(games[1].Second, club.receipts[1].address).move(3)
        assert (query.count(), club.events(games[0].Moved).count()) == (2, 3)
    assert (query.count(), club.events(games[0].Moved).count()) == (1, 2)


def test_name_of_several_events_names_the_ways(club: Chain) -> None:
    with pytest.raises(TypeError) as no:
        club.events("Moved")
    assert str(no.value) == (
        "2 events are called Moved: query by class, or by 'First.Moved' or 'Second.Moved'"
    )
    assert [each.spot for each in club.events("Second.Moved")] == [2, 4]
    assert [each.spot for each in club.events("Second.Moved", spot=4)] == [4]


def test_unknown_name_lists_what_is_on_the_chain(games: Any) -> None:
    chain = Chain()
    chain.declare(games[0].First)
    with pytest.raises(TypeError, match=r"declares an event 'Nope'; there are none$"):
        chain.events("Nope")
    chain.deploy(games[0].First)
    with pytest.raises(TypeError, match=r"declares an event 'Nope'; there are Moved$"):
        chain.events("Nope")


def test_activity_trace_and_exports_distinguish_them(club: Chain) -> None:
    assert "Moved(player=bob, square=1)" in club.activity()
    assert "Moved(player=alice, spot=2)" in club.activity()
    assert "emits Moved(player=bob, square=1)" in str(club.receipts[2].trace)
    file = io.StringIO()
    club.export_jsonl(file, "events")
    fields = [json.loads(line)["fields"] for line in file.getvalue().splitlines()]
    assert [sorted(each) for each in fields] == [["player", "square"], ["player", "spot"]] * 2
    assert club.sql("select event, count(*) from logs group by event") == [("Moved", 4)]


def test_node_distinguishes_them(club: Chain) -> None:
    ask = club.node.request
    assert [each["fields"]["square"] for each in ask("chain_events", ["First.Moved"])] == [1, 3]
    told = ask("chain_events", ["Moved", {"contract": "Second", "where": {"spot": 4}}])
    assert [each["fields"]["spot"] for each in told] == [4]
    topic = f"0x{club.receipts[-1].log_rows[0][1][0]:064x}"
    assert len(ask("eth_getLogs", [{"fromBlock": "0x0", "topics": [topic]}])) == 4


@pytest.mark.parametrize("which", ["market", "club"])
def test_such_a_chain_replays(which: str, request: pytest.FixtureRequest) -> None:
    chain = request.getfixturevalue(which)
    classes = [program.spec.cls for program in chain.machine.programs.values()]
    assert replay(record(chain), contracts=classes).ok


def test_file_follower_and_fork_agree(games: Any, tmp_path: Path) -> None:
    def told(chain: Chain) -> list[Any]:
        return [
            [repr(receipt.events) for receipt in chain.receipts],
            [chain.events(f"{name}.Moved").count() for name in ("First", "Second")],
            chain.activity(),
        ]

    with Chain.open(tmp_path / "a.chain") as chain:
        played(games, ("First", "Second"), chain)
        before = told(chain)
        assert told(chain.fork()) == before
        assert told(Chain.connect(chain.node)) == before
    with Chain.open(tmp_path / "a.chain") as chain:
        assert told(chain) == before
    with Chain.open(tmp_path / "a.chain", contracts=[games[1].Second, games[0].First]) as chain:
        assert told(chain) == before
        assert [each.spot for each in chain.events(games[1].Moved)] == [2, 4]


def test_edited_contract_keeps_its_old_events(made: Any, tmp_path: Path) -> None:
    old = made("game", GAME, name="Game", field="square")
    with Chain.open(tmp_path / "a.chain") as chain:
        chain.deploy(old.Game).move(1)
    new = made("game", GAME.replace("u8\n\nclass", "u8\n    step: u8\n\nclass").replace(
        "(self.caller, to)", "(self.caller, to, 7)"), name="Game", field="square",
    )  # fmt: skip
    with Chain.open(tmp_path / "a.chain", contracts=[new.Game]) as chain:
        chain.deploy(new.Game).move(2)
        assert [each.square for each in chain.events("Moved")] == [1, 2]
        assert [each.square for each in chain.events(new.Moved)] == [2]
        assert chain.events("Moved", square=1).one().square == 1
        assert chain.events("Moved", step=7).one().square == 2
    same = made("game", GAME.replace("u8) -> None:", "u8) -> None:\n        to += 1"), name="Game", field="square")  # fmt: skip
    with Chain.open(tmp_path / "a.chain", contracts=[same.Game]) as chain:
        assert [each.square for each in chain.events(same.Moved)] == [1]
        assert chain.receipts[1].events.one(same.Moved).square == 1


@event
class Seen:
    who: Key[Address]
    what: u8


class Watcher(System):
    @call
    def see(self, what: u8) -> None:
        self.world.emit(Seen(self.caller, what))


class Echo(Contract):
    @call
    def see(self, what: u8) -> None:
        self.emit(Seen(self.caller, what))


def test_event_in_the_name_of_a_world_is_of_its_system(made: Any) -> None:
    chain = Chain()
    world = chain.deploy_world("arcade", systems=[Watcher])
    watcher, echo = world.system(Watcher), chain.deploy(Echo)
    watcher.see(1)
    echo.see(2)
    log = chain.receipts[-2].logs[0]
    assert (log.address, log.event.what) == (world.address, 1)
    assert [each.what for each in chain.events(Seen)] == [1, 2]
    for whom in (watcher, Watcher, "Watcher", watcher.address, "World"):
        assert [each.what for each in chain.events(Seen).by_contract(whom)] == [1]
    assert [each.what for each in chain.events("Echo.Seen")] == [2]
    assert chain.sql("select what from Seen") == [(1,), (2,)]


def test_command_line_reads_a_file_of_other_contracts(games: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.chain"
    with Chain.open(path) as chain:
        played(games, ("First", "Second"), chain)

    def ask(*words: str) -> Any:
        where = ("--chain", str(path), "--contracts", "contracts.sagrada", "--json")
        return CliRunner().invoke(cli, [*words, *where])

    for contract, field, found in (("First", "square", [1, 3]), ("Second", "spot", [2, 4])):
        lines = json.loads(ask("events", "Moved", "--contract", contract).output)
        assert [line["fields"][field] for line in lines] == found
        lines = json.loads(ask("receipts", "--contract", contract).output)
        assert [line["entry"] for line in lines] == [None, "move", "move"]
        assert ask("events", "Moved", f"{field}={found[0]}", "--contract", contract).exit_code == 0
    assert "'First.Moved' or 'Second.Moved'" in ask("events", "Moved").output
    assert 'there are Moved"' in ask("events", "Nope").output
