"""All pages: every link answers within its budget, and text from the chain stays text."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jinja2 import Environment

from chain import Chain
from chain.explorer.pages import worlds
from chain.ledger.store import Store
from tests.chain.explorer.visitor import Answer, Visitor, check_markup, reachable

FOLDER = Path(sys.modules["chain"].__path__[0]) / "explorer"
LARGEST = 60_000  # bytes of a page when it is packed


@pytest.fixture(scope="module")
def pages(visitor: Visitor) -> dict[str, Answer]:
    """Every page that can be reached by links, by its address; a few of each sort."""
    return reachable(visitor)


def test_every_link_answers(pages: dict[str, Answer]) -> None:
    assert {url: page.status for url, page in pages.items() if page.status != 200} == {}
    assert len(pages) > 80


def test_every_page_has_the_policy(pages: dict[str, Answer]) -> None:
    for page in pages.values():
        assert page.headers["content-security-policy"].startswith("default-src 'none'")
        assert page.headers["x-content-type-options"] == "nosniff"


def test_no_page_is_too_large(pages: dict[str, Answer]) -> None:
    assert {url for url, page in pages.items() if len(gzip.compress(page.body)) > LARGEST} == set()


def test_the_script_is_small() -> None:
    assert (FOLDER / "static" / "explorer.js").stat().st_size <= 10_000


def test_nothing_from_the_chain_becomes_markup(pages: dict[str, Answer]) -> None:
    check_markup(pages)


def test_no_control_character_reaches_a_page(pages: dict[str, Answer]) -> None:
    for url, page in pages.items():
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", page.markup), url


def test_hostile_words_are_shown_as_they_are(visitor: Visitor) -> None:
    text = visitor.get("/events").text
    assert "<img src=x onerror=alert(1)>" in text
    assert "{{7*7}}" in text


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("/nothing", 404), ("/tx/9999", 404), ("/tx/abc", 400), ("/tx/0x" + "ab" * 32, 404), ("/tx/-1", 400),
        ("/block/9999", 404), ("/block/%F0%9F%98%80", 400), ("/board/Deblockle/7", 404), ("/board/Deblockle/0/99", 404),
        ("/board/Nobody/0", 404), ("/contract/Nobody", 404), ("/contract/Deblockle/nothing", 404), ("/world/nowhere", 404),
        ("/world/league/Nothing", 404), ("/account/nobody", 404), ("/?contract=Nobody", 400), ("/?entry=%3Cb%3E", 400),
        ("/?before=x", 400), ("/events?event=Nothing", 400), ("/events?event=Noted&f.by=nobody", 400),
        ("/sql?q=delete+from+receipts", 400), ("/sql?q=select+nothing", 400), ("/-/nothing", 404), ("/-/..%2Fsite.py", 404),
    ],
)  # fmt: skip
def test_what_is_not_there_is_said(visitor: Visitor, url: str, status: int) -> None:
    answer = visitor.get(url)
    assert answer.status == status
    assert answer.headers["content-security-policy"]


def test_a_foreign_page_and_a_foreign_name_are_refused(visitor: Visitor) -> None:
    assert visitor.get("/", host="evil.example").status == 403
    assert visitor.get("/", origin="https://evil.example").status == 403


def test_a_node_without_visitors_imports_nothing_of_the_web() -> None:
    script = (
        "import sys, chain.cli.commands.node, chain.rpc.server.server, chain.explorer.explorer\n"
        "print([name for name in ('starlette', 'jinja2', 'chain.explorer.site') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_templates_are_compiled_once_on_a_machine(
    chain: Chain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("BOARDCHAIN_CACHE", "")
    shown = [Visitor(chain).get("/tx/2").text]
    monkeypatch.setattr(Environment, "compile", lambda *_, **__: pytest.fail("a template is compiled"))  # fmt: skip
    assert [Visitor(chain).get("/tx/2").text] == shown


def test_a_chain_without_transactions_has_pages_too() -> None:
    empty = Visitor(Chain())
    for url in (
        "/",
        "/boards",
        "/events",
        "/contracts",
        "/worlds",
        "/blocks",
        "/accounts",
        "/sql",
        "/stats",
    ):
        assert empty.get(url).status == 200


def test_models_are_listed_without_the_past(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "_derive_words", lambda *_: pytest.fail("the past is read"))
    assert "12" in visitor.get("/world/league/Score").text


def test_history_of_a_model_goes_back_page_by_page(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worlds, "_VERSIONS", 2)
    url = "/world/league/Score?k.player=alice"
    newest = visitor.get(url)
    assert "points 7 12 #" in newest.text and "points 3 7" in newest.text
    (older,) = [link for link in newest.all("a", "href") if "before=" in link]
    assert "points None 3" in visitor.get(older if older[0] == "/" else f"/world/league/Score{older}").text  # fmt: skip


def test_a_hash_that_needs_many_others_is_made_on_demand() -> None:
    chain = Chain()
    for _ in range(30):
        chain.mine()
    visitor = Visitor(chain)
    assert visitor.get("/block/5").text.count("0x") == 1
    assert "compute it" in visitor.get("/block/25").text
    assert f"0x{chain.block_hash(25).hex()}" in visitor.get("/block/25?hash=1").text
