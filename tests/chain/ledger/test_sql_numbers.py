"""Whole numbers of any size in SQL: sorted and compared as Python does it; sums are rounded. A file has their digits."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain import Chain, Contract, call, event
from chain.ledger.sql.big_integers import LargeNumbers
from chain.types import i256, u64, u256

VALUES = (5, 9_500_000_000_000_000_000, 2 * 10**19, 10**20, 10**18)
EDGES = st.sampled_from([0, 5, 2**53, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1, 2**64 + 1, 2**200])
UNSIGNED = EDGES | st.integers(0, 2**256 - 1)
SIGNED = st.sampled_from([-(2**63), -(2**63) - 1, -(2**100), -1, 0, 7, 2**63, 2**90])
# So close to one another that SQLite rounds them to the same.
CLOSE = (
    st.integers(10**20, 10**20 + 9)
    | st.integers(-(2**63) - 3, -(2**63))
    | st.integers(2**63, 2**63 + 3)
)


@event
class Counted:
    wide: u64
    big: u256
    low: i256


class Numbers(Contract):
    @call(payable=True)
    def put(self, wide: u64, big: u256, low: i256) -> u256:
        self.emit(Counted(wide, big, low))
        return big


def sent(chain: Chain) -> Chain:
    for value in VALUES:
        chain.send(chain.accounts[1], value=value)
    return chain


@pytest.fixture
def paid() -> Chain:
    return sent(Chain())


def column(chain: Chain, question: str, *values: Any) -> list[Any]:
    return [row[0] for row in chain.sql(question, *values)]


ASKED: dict[str, list[Any]] = {
    "select max(value) from receipts": [10**20],
    "select min(value) from receipts": [5],
    "select value from receipts order by value desc": sorted(VALUES, reverse=True),
    "select count(*) from receipts where value > 15000000000000000000": [2],
    "select count(*) from receipts where value > 15 * 1e18": [2],
    "select count(*) from receipts where value between 9.5e18 and 2e19": [2],
    "select value from receipts where value = 100000000000000000000": [10**20],
    "select value from receipts where value in (5, 20000000000000000000)": [5, 2 * 10**19],
    "select value from receipts where value = 5": [5],
    "select sum(value) from receipts where value < 1e18": [5],
    "select max(value) from receipts having max(value) > 99999999999999999999": [10**20],
    "select count(*) from receipts where value > (select avg(value) from receipts)": [1],
    "select count(distinct value) from receipts": [5],
    "select value from receipts where position = 1 and '20000000000000000000' = '20000000000000000000'": [VALUES[1]],
    "select avg(nonce), max(nonce) from receipts": [2.0],
    "select count(*) from receipts where value + 1 > 15000000000000000000": [2],
    "select count(*) from receipts where value * 2 > value": [5],
    "select count(*) from receipts where round(value / 1e18) > 1e99": [0],
}  # fmt: skip


@pytest.mark.parametrize("question", ASKED)
def test_numbers_in_a_question(paid: Chain, question: str) -> None:
    assert column(paid, question) == ASKED[question]
    assert [row[0] for row in paid.node.request("chain_sql", [question])["rows"]] == [
        str(each) if each > 2**53 else each for each in ASKED[question]
    ]


def test_sums_are_rounded(paid: Chain) -> None:
    for question, right in (
        ("select sum(value) from receipts", [sum(VALUES)]),
        ("select sum(value) from receipts where value > 10 group by sender", [sum(VALUES) - 5]),
        ("select total(value) from receipts", [sum(VALUES)]),
    ):
        assert column(paid, question) == pytest.approx(right, rel=1e-15)


def test_numbers_given_to_a_question(paid: Chain) -> None:
    for limit in (15 * 10**18, 1.5e19, "15000000000000000000"):
        assert column(paid, "select count(*) from receipts where value > ?", limit) == [2]
    assert [*paid.sql("select value from receipts where value = :v", v=10**20)] == [(10**20,)]


@given(st.lists(UNSIGNED | SIGNED | CLOSE, min_size=2, max_size=8), SIGNED | CLOSE)
def test_a_real_to_each_number_in_their_order(values: list[int], other: int) -> None:
    numbers = LargeNumbers()
    for value in values:
        numbers.real(value)
    if numbers.is_crowded:
        numbers.spread()
    reals = {value: numbers.real(value) for value in values}
    assert {numbers.number(real) for real in reals.values()} == {*values}
    assert sorted(values, key=reals.__getitem__) == sorted(values)
    numbers.real(other)
    if not numbers.is_crowded:
        assert {value: numbers.real(value) for value in values} == reals


@given(st.lists(SIGNED, min_size=1, max_size=4), SIGNED)
def test_signed_columns_as_python(values: list[int], other: int) -> None:
    chain = Chain()
    numbers = chain.deploy(Numbers)
    with chain.block():
        for value in values:
            numbers.put(0, 0, value)
    assert column(chain, "select low from Counted order by low") == sorted(values)
    for text in (str(other), "?"):
        given_ = (other,) if text == "?" else ()
        question = f"select low from Counted where low < {text} order by low"
        assert column(chain, question, *given_) == sorted(v for v in values if v < other)
    assert column(chain, "select max(low) from Counted") == [max(values)]
    for expression in ("max(low)", "coalesce(max(low), 0)", "(select max(low) from Counted)"):
        question = f"select max(low) from Counted having {expression} > {other}"
        assert column(chain, question) == [max(values)] * (max(values) > other)


@given(st.lists(SIGNED | CLOSE, min_size=1, max_size=4), SIGNED)
def test_a_sign_changes_nothing_but_the_sign(values: list[int], other: int) -> None:
    """A number of a column is never shown as its neighbour, and a literal keeps its sign at every position."""
    chain = Chain()
    numbers = chain.deploy(Numbers)
    with chain.block():
        for value in values:
            numbers.put(0, 0, value)
    assert column(chain, "select -low from Counted where low > -9223372036854775808") == [
        -v for v in values if v > -(2**63)
    ]
    assert column(chain, "select abs(low) from Counted where low <> -9223372036854775808") == [
        abs(v) for v in values if v != -(2**63)
    ]
    below = f"select low from Counted where {other} < low or low = {-other} order by low"
    assert column(chain, below) == sorted(v for v in values if other < v or v == -other)


def test_numbers_that_sqlite_rounds_to_the_same() -> None:
    chain = Chain()
    for last in (5, 1, 3, 2):
        chain.send(chain.accounts[1], value=10**20 + last)
        assert column(chain, "select max(value) from receipts") == [10**20 + 5]
    for limit in range(7):
        question = f"select value from receipts where value > {10**20 + limit} order by value"
        assert column(chain, question) == [10**20 + last for last in (1, 2, 3, 5) if last > limit]


@pytest.mark.parametrize("number", ["1e999999999", "9" * 5000])
def test_numbers_beyond_all_bounds(paid: Chain, number: str) -> None:
    assert column(paid, f"select count(*) from receipts where value < {number}") == [5]
    assert column(paid, "select count(*) from receipts where value < ?", number) in ([0], [5])


def test_only_numbers_are_rewritten() -> None:
    kept = (
        "select '99999999999999999999', \"a99999999999999999999\", x99999999999999999999, ?1,"
        " [99999999999999999999] -- 99999999999999999999\n, 9223372036854775807, 0x10, -9223372036854775807"
    )
    assert LargeNumbers().rewritten(kept) == kept


def in_file(path: Path, question: str) -> list[Any]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return [row[0] for row in connection.execute(question)]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sql") / "paid.chain"
    with Chain.open(path, contracts=[Numbers]) as chain:
        sent(chain)
        chain.deploy(Numbers).put(2**64 - 1, 2**256 - 1, -(2**200))
    return path


def test_digits_in_a_file(file: Path) -> None:
    wide = [str(2**64 - 1), str(2**256 - 1), str(-(2**200))]
    assert [
        in_file(file, f"select {name} from Counted")[0] for name in ("wide", "big", "low")
    ] == wide
    sent_values = in_file(file, "select value from receipts where position < 5")
    assert [*map(int, sent_values)] == list(VALUES)
    assert [type(value) is int for value in sent_values] == [value < 2**63 for value in VALUES]
