"""An explorer without a node: of a file, and of a node elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Event
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner

from chain import Chain, Contract, call, event
from chain.cli.main import cli
from chain.explorer.file_tables import FileTables
from chain.explorer.receipt_survey import Survey
from chain.explorer.site import Site
from chain.explorer.standalone import AloneServer
from chain.metering.program import program_of
from chain.pictures.boards import Boards
from chain.rpc.errors import RpcError
from chain.rpc.server.listener import Settings
from chain.rpc.server.server import Server
from chain.simulator.node_client import HttpNodeClient
from chain.types import i256, u256
from contracts.blokus import Blokus
from tests.chain.toys import Counter

PORT = Settings(port=0)


def page(url: str, **headers: str) -> tuple[int, str]:
    try:
        with urlopen(Request(url, headers=headers)) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_a_chain_has_pages_without_a_node() -> None:
    chain = Chain()
    chain.deploy(Counter).add(7)
    with AloneServer(chain, PORT).in_thread() as url:
        assert "(7)" in page(url)[1]
        assert "Result" in page(f"{url}/contract/Counter/total")[1]
        assert page(url, Host="evil.example")[0] == 403


def test_games_are_imported_before_the_first_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Chain.open(tmp_path / "game.chain") as chain:
        chain.deploy(Blokus).create_game(2)
    imported = list[bytes | None]()
    done = Event()

    async def prepare(site: Site) -> None:
        await site_prepare(site)
        done.set()

    site_prepare, game = Site.prepare, Survey.game
    monkeypatch.setattr(Site, "prepare", prepare)
    monkeypatch.setattr(Survey, "game", lambda survey, digest: imported.append(digest) or game(survey, digest))  # fmt: skip
    with Chain.watch(tmp_path / "game.chain") as chain, AloneServer(chain, PORT).in_thread():
        assert done.wait(20)
    assert imported == [program_of(Blokus).digest]


def test_nothing_but_pages_is_served() -> None:
    chain = Chain()
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "evm_mine", "params": []}).encode()
    with AloneServer(chain, PORT).in_thread() as url:
        for headers in ({"content-type": "application/json"}, {}):
            with pytest.raises(HTTPError, match="405") as refused:
                urlopen(Request(url, body, headers))
            refused.value.close()
    assert len(chain.blocks) == 1


def test_a_node_elsewhere_is_followed() -> None:
    chain = Chain()
    counter = chain.deploy(Counter)
    with Server(chain, PORT).in_thread() as node:
        far = Chain.connect(node, contracts=[Counter])
        server = AloneServer(far, PORT, HttpNodeClient(node))
        with server.in_thread() as url:
            with urlopen(f"{url}/-/live") as news:
                assert b'"receipts": 1' in news.readline()
                HttpNodeClient(node)("chain_send", [{"to": str(counter.address), "entry": "add", "args": [9]}])  # fmt: skip
                assert news.readline() == b"\n"
                assert b'"receipts": 2' in news.readline()
            assert "(9)" in page(url)[1]
            assert "writes Counter.count" in page(f"{url}/tx/1?trace=1")[1]


def test_a_file_that_is_written_elsewhere_is_followed(tmp_path: Path) -> None:
    file = tmp_path / "duel.chain"
    with Chain.open(file, contracts=[Counter]) as chain:
        counter = chain.deploy(Counter)
        watched = Chain.watch(file, contracts=[Counter])
        with AloneServer(watched, PORT, file=file).in_thread() as url:
            with urlopen(f"{url}/-/live") as news:
                assert b'"receipts": 1' in news.readline()
                counter.add(9)
                assert news.readline() == b"\n"
                assert b'"receipts": 2' in news.readline()
            assert "(9)" in page(url)[1]
        watched.close()


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a chain with three calls."""
    file = tmp_path_factory.mktemp("tables") / "some.chain"
    with Chain.open(file, contracts=[Counter]) as chain:
        counter = chain.deploy(Counter)
        for by in (1, 2, 3):
            counter.add(by)
    return file


def query(file: Path, question: str) -> object:
    return FileTables(file).query(question)


def test_a_file_answers_sql_itself(tables: Path) -> None:
    question = "select name(address) as who, sum(by) as by from Added"
    assert query(tables, question) == {"columns": ["who", "by"], "rows": [["Counter", 6]]}


def test_a_file_is_asked_while_it_grows(tmp_path: Path) -> None:
    with Chain.open(tmp_path / "some.chain", contracts=[Counter]) as chain:
        counter, asked = chain.deploy(Counter), FileTables(tmp_path / "some.chain")
        for by in (1, 2, 3):
            counter.add(by)
            assert asked.query("select count(*) as n from Added") == {
                "columns": ["n"],
                "rows": [[by]],
            }


@event
class Won:
    pot: u256
    lost: i256


class Bank(Contract):
    @call
    def win(self, pot: u256, lost: i256) -> u256:
        self.emit(Won(pot, lost))
        return pot


WINS = ((2**255 + 1, -(2**200)), (2**255, 5), (7, 2**63), (2**255 + 2, -(2**200) - 1))


@pytest.mark.parametrize(
    "question",
    [
        "select pot, lost, receipt from Won",
        "select pot from Won where lost < -1606938044258990275541962092341162602522202993782792835301376",
        "select sum(pot) as pots, min(lost) as least, max(pot) as most from Won",
        f"select receipt from Won where pot = {2**255 + 1}",
        "select result from receipts order by result",
        "select w.pot from won w join receipts r on r.position = w.receipt order by w.pot desc",
    ],
)
def test_a_file_has_whole_numbers_of_any_size(tmp_path: Path, question: str) -> None:
    file = tmp_path / "bank.chain"
    with Chain.open(file, contracts=[Bank]) as chain:
        bank = chain.deploy(Bank)
        for pot, lost in WINS:
            bank.win(pot, lost)
        answer = chain.sql(question)
    expected = {"columns": answer.columns, "rows": [list(row) for row in answer]}
    assert query(file, question) == expected


def test_a_file_without_a_step_has_no_tables(tmp_path: Path) -> None:
    Chain.open(tmp_path / "new.chain").close()
    assert query(tmp_path / "new.chain", "select 1 as one") == {"columns": ["one"], "rows": [[1]]}


@pytest.mark.parametrize(
    "question",
    [
        "delete from receipts", "drop table Added", "attach 'x.db' as x", "pragma journal_mode = off", "vacuum",
        'select * from "chain:receipts"', "select load_extension('x')", "select 1; select 2", "select nothing",
        "with recursive n(i) as (select 1 union all select i + 1 from n) select * from n", "select zeroblob(20000000)",
    ],
)  # fmt: skip
def test_a_file_is_only_read(tables: Path, question: str) -> None:
    before = tables.read_bytes()
    with pytest.raises(RpcError):
        query(tables, question)
    assert tables.read_bytes() == before


def test_the_command_says_where_to_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(server: AloneServer, ready: Callable[[], None]) -> None:
        server._socket.close()
        ready()

    monkeypatch.setattr(AloneServer, "run", run)
    monkeypatch.setattr(AloneServer, "url", "http://127.0.0.1:7")
    file = str(tmp_path / "some.chain")
    Chain.open(file).close()
    done = CliRunner().invoke(cli, ["explore", file])
    assert done.exit_code == 0, done.stderr
    assert done.output == "Open http://127.0.0.1:7\n"
    assert CliRunner().invoke(cli, ["explore", str(tmp_path / "none.chain")]).exit_code == 2


@pytest.mark.parametrize("package", ["contracts", "not_here"])
def test_the_command_draws_boards_of_deployed_games(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games: list[Boards | None] = []
    with Chain.open(tmp_path / "some.chain") as chain:
        chain.deploy(Blokus)

    def run(server: AloneServer, ready: Callable[[], None]) -> None:
        server._socket.close()
        games.append(Survey(server._chain).game(program_of(Blokus).digest))

    monkeypatch.setattr(AloneServer, "run", run)
    words = ["explore", str(tmp_path / "some.chain"), "--contracts", package]
    CliRunner().invoke(cli, words, catch_exceptions=False)
    assert [game is not None for game in games] == [True]
