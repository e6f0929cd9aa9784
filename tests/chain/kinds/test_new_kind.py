"""A kind of value is one class and one row: all else of the chain follows from these. The kind here is that of `dates`."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from chain import Chain
from chain.cli.main import cli
from chain.fuzz import Fuzz
from chain.fuzz.random_values import values
from chain.ledger.type_descriptions import type_from_description
from chain.replays import check_transcript, record
from chain.simulator.handle import Handle
from tests.chain.explorer.visitor import Visitor
from tests.chain.helpers import untyped
from tests.chain.kinds.dates import Date, DateType, Letter, Post, Sent

MAY, JUNE, JULY = Date("2024-05-01"), Date("2024-06-01"), Date("2024-07-01")


@pytest.fixture
def chain() -> Chain:
    return Chain()


@pytest.fixture
def post(chain: Chain) -> Handle:
    post = chain.deploy(Post)
    post.send(Letter(MAY, None, 3), [])
    post.send(Letter(JUNE, MAY), [JULY, MAY])
    return post


def test_calls_take_and_return_it(post: Handle) -> None:
    receipt = post.send(Letter(Date("2024-08-01"), JUNE), [])
    assert receipt.return_value == MAY
    assert receipt.args == {"letter": Letter(Date("2024-08-01"), JUNE), "others": []}
    assert receipt.events == [Sent(Date("2024-08-01"), JUNE, [])]
    assert post.pages(MAY) == 3


def test_what_is_none_is_refused_by_name(post: Handle) -> None:
    with pytest.raises(TypeError, match=r"letter\.seen = 7 is not Date"):
        post.send(untyped(Letter(MAY, untyped(7))), [])


def test_storage_holds_it(post: Handle) -> None:
    fields = post.fields
    assert (fields.first, fields.last, [*fields.days]) == (MAY, Letter(JUNE, MAY), [MAY, JUNE])
    assert dict(fields.letters.items()) == {MAY: Letter(MAY, None, 3), JUNE: Letter(JUNE, MAY)}
    assert {*fields.holidays} == {JULY, MAY}


def test_writes_name_it(chain: Chain, post: Handle) -> None:
    changed = {str(write) for write in chain.receipts[-1].writes}
    assert "Post.letters['2024-06-01'].seen: None -> '2024-05-01'" in changed


def test_queries_find_it(chain: Chain, post: Handle) -> None:
    assert [event.seen for event in chain.events(Sent).where(day=JUNE)] == [MAY]
    assert [event.day for event in chain.events(Sent).where(seen=MAY)] == [JUNE]
    found = chain.sql("select day, seen, others from Sent where seen = ?", MAY)
    assert [tuple(row) for row in found] == [
        ("2024-06-01", "2024-05-01", '["2024-07-01","2024-05-01"]')
    ]
    kept = chain.sql("select value from fields where field = 'first'")
    assert [tuple(row) for row in kept] == [("2024-05-01",)]


def test_json_rpc_takes_and_gives_it(chain: Chain, post: Handle) -> None:
    ask = chain.node.request
    letter = {"sent": "2024-08-01", "seen": None, "pages": 2}
    ask(
        "chain_send",
        [{"to": "Post", "entry": "send", "args": {"letter": letter, "others": ["2024-09-01"]}}],
    )
    [found] = ask("chain_events", ["Sent", {"where": {"day": "2024-08-01"}}])
    assert found["fields"] == {"day": "2024-08-01", "seen": None, "others": ["2024-09-01"]}


def test_command_line_takes_and_gives_it(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        where = "--contracts", "tests.chain.kinds.dates", "--chain", str(tmp_path / "post.chain")
        done = CliRunner().invoke(cli, [*words, *where])
        assert done.exit_code == 0, done.output
        return done.stdout

    run("deploy", "Post")
    run("call", "Post", "send", '{"sent": "2024-05-01", "seen": null, "pages": 3}', "[]")
    assert run("view", "Post", "pages", "2024-05-01").split() == ["3"]
    assert "2024-05-01" in run("events", "Sent", "day=2024-05-01")


def test_page_takes_and_gives_it(chain: Chain, post: Handle) -> None:
    visitor = Visitor(chain)
    assert "Result 3 " in visitor.get("/contract/Post/pages?a.day=2024-05-01&try=1").text
    assert "2024-06-01" in visitor.get("/contract/Post").text


def test_transcript_reads_what_it_writes(chain: Chain, post: Handle, tmp_path: Path) -> None:
    file = tmp_path / "post.txt"
    file.write_text(record(chain))
    check_transcript(file, packages=["tests.chain.kinds"])


def test_fuzzing_draws_it() -> None:
    class PostFuzz(Fuzz):
        contracts = (Post,)
        excluded = ("pages",)

    report = PostFuzz.run(10, seed=1)
    assert ("Post.send", "ok") in report.reached
    draw, random = values(DateType()), Random(1)
    drawn = {draw(random) for _ in range(30)}
    assert len(drawn) > 5
    assert {type(value) for value in drawn} == {Date}


def test_description_stands_for_it() -> None:
    assert type_from_description(json.loads(json.dumps(DateType().description))) == DateType()
