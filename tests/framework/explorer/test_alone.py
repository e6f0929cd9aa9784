"""An explorer without a node: of a file, and of a node elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner

from chain import Chain
from chain.cli.main import cli
from chain.explorer.alone import AloneServer
from chain.rpc.server.listener import Settings
from chain.rpc.server.server import Server
from chain.simulator.node_client import HttpNodeClient
from tests.framework.toys import Counter

PORT = Settings(port=0)


def page(url: str, **headers: str) -> tuple[int, str]:
    try:
        with urlopen(Request(url, headers=headers)) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


def test_a_chain_has_pages_without_a_node() -> None:
    chain = Chain()
    chain.deploy(Counter).add(7)
    with AloneServer(chain, PORT).in_thread() as url:
        assert "(7)" in page(url)[1]
        assert "Answer" in page(f"{url}/contract/Counter/total")[1]
        assert page(url, Host="evil.example")[0] == 403


def test_nothing_but_pages_is_served() -> None:
    chain = Chain()
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "evm_mine", "params": []}).encode()
    with AloneServer(chain, PORT).in_thread() as url:
        with pytest.raises(HTTPError, match="405"):
            urlopen(Request(url, body, {"content-type": "application/json"}))
        with pytest.raises(HTTPError, match="405"):
            urlopen(Request(url, body))
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
        with AloneServer(watched, PORT, grows=True).in_thread() as url:
            with urlopen(f"{url}/-/live") as news:
                assert b'"receipts": 1' in news.readline()
                counter.add(9)
                assert news.readline() == b"\n"
                assert b'"receipts": 2' in news.readline()
            assert "(9)" in page(url)[1]
        watched.close()


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
    assert done.output == "Look at http://127.0.0.1:7\n"
    assert CliRunner().invoke(cli, ["explore", str(tmp_path / "none.chain")]).exit_code == 2
