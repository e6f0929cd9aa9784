"""Entries tried and called from a page."""

from __future__ import annotations

import pytest

from chain import Chain
from chain.types import Address
from tests.chain.explorer.visitor import HOST, Visitor
from tests.chain.toys import Counter

OWN = f"http://{HOST}"


@pytest.fixture
def writer() -> Visitor:
    """A visitor who may send."""
    chain = Chain()
    chain.deploy(Counter)
    return Visitor(chain, writes=True)


def token_of(visitor: Visitor) -> str:
    page = visitor.get("/contract/Counter/add")
    values = [attrs["value"] for tag, attrs in page.elements if attrs.get("name") == "token"]
    return values[0] or ""


def test_a_view_answers_on_its_page(visitor: Visitor) -> None:
    assert '"<b>so</b>"' in visitor.get("/contract/Wall/echo?a.text=%3Cb%3Eso%3C/b%3E&try=1").text


def test_a_view_answers_at_an_earlier_block(writer: Visitor) -> None:
    counter = writer.chain.handle(Counter, writer.chain.receipts[0].address)
    counter.add(5)
    counter.add(6)
    assert "Result 5 " in writer.get("/contract/Counter/total?block=2&try=1").text
    assert "Result 11 " in writer.get("/contract/Counter/total").text


def test_a_call_is_tried_and_undone(writer: Visitor) -> None:
    count = len(writer.chain.receipts)
    text = writer.get("/contract/Counter/add?a.by=5&try=1").text
    assert "Result 5 Added" in text
    assert len(writer.chain.receipts) == count


def test_a_call_that_would_fail_says_why(writer: Visitor) -> None:
    assert "It would fail nothing to add" in writer.get("/contract/Counter/add?a.by=0&try=1").text


@pytest.mark.parametrize("typed", ["", "many", "-1", "[1"])
def test_an_argument_that_does_not_fit_is_explained(writer: Visitor, typed: str) -> None:
    answer = writer.get(f"/contract/Counter/add?a.by={typed}&try=1")
    assert answer.status == 400
    assert "by" in answer.text


def test_a_form_sends_a_transaction(writer: Visitor) -> None:
    fields = {"token": token_of(writer), "a.by": "7", "from": "carol"}
    answer = writer.post("/contract/Counter/add", fields, origin=OWN)
    assert (answer.status, answer.headers["location"]) == (303, "/tx/1")
    receipt = writer.chain.receipts[1]
    assert receipt.args == {"by": 7}
    assert receipt.sender == Address(writer.chain.accounts[2])


@pytest.mark.parametrize("origin", ["http://localhost:9999", "null", "https://evil.example", ""])
def test_a_form_of_another_page_sends_nothing(writer: Visitor, origin: str) -> None:
    fields = {"token": token_of(writer), "a.by": "7"}
    headers = {"origin": origin} if origin else {}
    assert writer.post("/contract/Counter/add", fields, **headers).status in (400, 403)
    assert len(writer.chain.receipts) == 1


def test_a_form_without_the_token_sends_nothing(writer: Visitor) -> None:
    answer = writer.post("/contract/Counter/add", {"a.by": "7", "token": "guess"}, origin=OWN)
    assert answer.status == 400
    assert len(writer.chain.receipts) == 1


def test_nothing_is_sent_unless_it_is_switched_on(visitor: Visitor) -> None:
    assert "Send it" not in visitor.get("/contract/Wall/write").text
    assert visitor.post("/contract/Wall/write", {"a.text": "x"}, origin=OWN).status == 403
