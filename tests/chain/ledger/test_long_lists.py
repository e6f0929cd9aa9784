"""A long list is a list, wherever its items are, and the garbage collector does not walk its older part."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain import Chain
from chain.ledger.file.pages import PAGE, FilePages
from chain.ledger.long_list import PIECE, LongList
from tests.chain.toys import Counter

NUMBERS = st.integers(-4 * PIECE, 4 * PIECE)
STEPS = st.lists(
    st.tuples(st.sampled_from(["append", "extend", "truncate", "slice", "index"]), NUMBERS, NUMBERS)
)


@given(st.integers(0, 3 * PAGE), STEPS)
def test_long_list_is_a_list(stored: int, steps: list[tuple[str, int, int]]) -> None:
    plain = [*range(stored)]
    long = LongList(stored=FilePages(stored, lambda first, end: [*range(first, end)]))
    for step, number, other in steps:
        if step == "append":
            plain.append(number)
            long.append(number)
        elif step == "extend":
            plain.extend(range(abs(number)))
            long.extend(range(abs(number)))
        elif step == "truncate":
            del plain[number:]
            del long[number:]
        elif step == "slice":
            assert long[number:other] == plain[number:other]
        elif -len(plain) <= number < len(plain):
            assert long[number] == plain[number]
        else:
            with pytest.raises(IndexError):
                long[number]
        assert len(long) == len(plain)
    assert list(long) == plain
    assert list(reversed(long)) == plain[::-1]


def test_few_pages_are_kept_and_stored_items_keep_their_mark() -> None:
    read: list[int] = []

    def pages(first: int, end: int) -> list[object]:
        read.append(first)
        return [object() for _ in range(first, end)]

    items = LongList(stored=FilePages(100 * PAGE, pages))
    mark, first = items.mark(5), items[5]
    assert len(list(items)) == 100 * PAGE and len(read) == 100
    assert items[5] is not first and items.mark(5) is mark and items.is_stored(5)
    del items[5:]
    items.append(first)
    assert items.mark(5) is not mark and not items.is_stored(5)


def interrupted(act: Callable[[], None], line: int) -> bool:
    """Run `act`, and interrupt it at a line by number; return True if it has that many lines."""
    seen = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal seen
        seen += event == "line" and frame.f_code.co_filename.endswith("long_list.py")
        if seen > line:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.parametrize("end", [PIECE // 2, PIECE, 3 * PIECE + 7, 5 * PIECE])
def test_interrupts_leave_the_list_as_before_or_after(end: int) -> None:
    for line in range(100):
        items = LongList(range(4 * PIECE))
        items.tail[1].extend(range(4 * PIECE, 6 * PIECE))
        was_settled = interrupted(items.settle, line)
        assert list(items) == [*range(6 * PIECE)]
        was_cut = interrupted(partial(items.__delitem__, slice(end, None)), line)
        assert list(items) in ([*range(6 * PIECE)], [*range(end)])
        del items[end:]
        items.extend(range(end, 6 * PIECE))
        assert list(items) == [*range(6 * PIECE)]
        if not was_settled and not was_cut:
            return
    pytest.fail("it takes more than 100 lines")


def test_collector_does_not_walk_older_items() -> None:
    items = LongList[tuple[int, bytes]]()
    for number in range(20 * PIECE):
        items.append((number, b"row"))
        items.settle()
    gc.collect()  # untracks the rows
    gc.collect()  # and what holds them
    walked = [piece for piece in items._pieces if gc.is_tracked(piece)]
    assert walked == [] and len(items.tail[1]) < 2 * PIECE


def test_collector_is_done_with_a_receipt_when_it_has_met_it_once() -> None:
    chain = Chain()
    counter = chain.deploy(Counter)
    gc.collect()
    for _ in range(50):
        counter.add(1)
    gc.collect(0)
    assert [receipt for receipt in chain.receipts[1:] if gc.is_tracked(receipt.row)] == []
