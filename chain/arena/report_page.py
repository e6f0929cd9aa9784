"""The report of a campaign: one page of HTML without script, which works offline, in light or dark. Next to each plot is a
table with its numbers. All texts of a game and of its strategies are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Final

from chain.arena.comparison import Comparison, PairedDifference
from chain.arena.match import Row
from chain.arena.plan import DETAILED
from chain.arena.plots import Interval, histogram, intervals, percent, plain, whole
from chain.arena.tally import Share, Tally
from chain.pictures.markup import Markup, element, join, shorten
from chain.pictures.palette import COLOURS, STYLESHEET
from chain.pictures.picture import FONT, Picture

SHOWN_FAILURES: Final = 20
_SHOWN_PARTS: Final = 12  # of the board, in the table
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


def _colours(of_page: int) -> str:
    names = ("ground", "panel", "line", "ink", "muted", "accent")
    return "".join(f"--{name}:{COLOURS[name][of_page]};" for name in names)


_STYLE: Final = f"""
:root{{color-scheme:light dark;{_colours(0)}}}
@media (prefers-color-scheme:dark){{:root{{{_colours(1)}}}}}
{STYLESHEET}
body{{margin:0 auto;padding:16px;max-width:1080px;background:var(--ground);color:var(--ink);font:15px/1.45 {FONT}}}
h1{{font-size:26px;margin:.4em 0 .2em;overflow-wrap:anywhere}}
h2{{font-size:18px;margin:1.8em 0 .4em;overflow-wrap:anywhere}}
p{{margin:.3em 0;overflow-wrap:anywhere}}
.muted{{color:var(--muted)}}
section>div{{display:grid;grid-template-columns:minmax(0,460px) minmax(0,1fr);gap:12px 32px;align-items:start}}
svg{{display:block;width:100%;height:auto}}
.table{{overflow-x:auto}}
table{{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:14px}}
th,td{{padding:3px 14px 3px 0;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}}
.words td{{text-align:left;white-space:normal}}
th{{font-weight:600}}
td:first-child,th:first-child{{text-align:left;overflow-wrap:anywhere;min-width:4em}}
pre{{overflow:auto;max-height:20em;background:var(--panel);padding:8px;font-size:13px}}
@media (max-width:760px){{section>div{{grid-template-columns:minmax(0,1fr)}}th,td{{padding-right:10px}}}}
@media print{{section{{break-inside:avoid}}}}
"""


def report_page(
    tally: Tally,
    failures: Sequence[Row],
    board: Picture | None,
    comparisons: Iterable[Comparison] = (),
    folder: Path | None = None,
) -> str:
    """Return the page. `board` is the picture on which the places of moves are shown, `folder` that of the results."""
    title = f"{tally.plan.target}: {whole(tally.games)} games"
    body = join(
        [
            *_head(title, tally),
            *map(_against, comparisons),
            *_sections(tally, failures, board, folder),
        ]
    )
    head = join(
        [
            Markup('<meta charset="utf-8">'),
            Markup(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
            Markup('<meta name="viewport" content="width=device-width,initial-scale=1">'),
            element("title", title),
            element("style", Markup(_STYLE)),
        ]
    )
    page = element("html", element("head", head), element("body", body), lang="en")
    return f"<!doctype html>\n{page}\n"


def section(title: str | Markup, shown: Markup, *beside: Markup) -> Markup:
    return element("section", element("h2", title), element("div", shown, element("div", *beside)))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "table") -> Markup:
    """Return a table; its first column may have text in any script."""
    head = element("tr", *(element("th", name) for name in columns))
    body = [
        element("tr", element("td", _name(first)), *(element("td", each) for each in rest))
        for first, *rest in rows
    ]
    content = element("table", element("thead", head), element("tbody", *body))
    return element("div", content, **{"class": kind})


def _name(words: str) -> Markup:
    """Return a user's text, isolated so that its writing direction does not affect the text around it."""
    return element("bdi", words)


def remark(words: str) -> Markup:
    return element("p", words, **{"class": "muted"})


def _head(title: str, tally: Tally) -> Iterator[Markup]:
    plan = tally.plan
    yield element("h1", title)
    played = "by the rules alone" if plan.bare else "on a chain"
    checked = f", {percent(plan.check)} of them on a chain too" if plan.check else ""
    around = join(
        join([", " if seat else "", _name(name)]) for seat, name in enumerate(plan.strategies)
    )
    yield element("p", "Strategies: ", around, f". Played {played}{checked}.")
    failed = f"{whole(tally.failures)} failed" if tally.failures else "none failed"
    yield element(
        "p",
        f"{whole(tally.plies.total)} plies; {failed}. Intervals hold the true value in 95 of 100 reports.",
    )
    campaign = f"campaign “{plan.campaign}”, " if plan.campaign else ""
    yield remark(f"{campaign}code {plan.digest[:16]}, results {tally.digest[:16]}")


def _sections(
    tally: Tally, failures: Sequence[Row], board: Picture | None, folder: Path | None
) -> Iterator[Markup]:
    if tally.games > tally.failures:
        yield _wins(tally)
        yield _seats(tally)
    if sum(tally.pairs.counts):
        yield _strength(tally)
    if tally.endings:
        yield _endings(tally.endings)
    if tally.games:
        yield _lengths(tally)
    if tally.gas:
        yield _gas(tally)
    if tally.heat:
        yield _heat(tally, board)
    if failures:
        yield _failures(tally, failures, folder)


def _against(comparison: Comparison) -> Markup:
    """The effects of a change of the rules, with the same random numbers."""
    title = join(["Against ", _name(comparison.name)])
    told = f"{whole(comparison.changed)} of {whole(comparison.games)} games with the same random numbers ended differently"
    first = "" if comparison.first_changed is None else f", the first is {comparison.first_changed}"
    remarks = (
        remark(f"{told}{first}. A difference is real if its interval leaves out 0."),
        remark(f"The code there is {comparison.there.digest[:16]}."),
    )
    if not comparison.differences:
        return section(title, remark("No round of games has ended under both versions."), *remarks)
    shares = [each for each in comparison.differences if each.is_share and each.rounds > 1]
    rows = [Interval(each.what, each.value, *each.interval) for each in shares]
    axis = "difference in the share of games won"
    plot = intervals(rows, axis, percent, mark=0) if rows else remark("One round is not enough.")
    columns = ("on average", "here", "there", "difference", "interval")
    return section(title, plot, table(columns, map(_difference_row, comparison.differences)), *remarks)  # fmt: skip


def _difference_row(each: PairedDifference) -> tuple[str, ...]:
    show = percent if each.is_share else _decimal
    low, high = (show(end) if isfinite(end) else "unknown" for end in each.interval)
    return each.what, show(each.here), show(each.there), show(each.value), f"{low} to {high}"


def _decimal(number: float) -> str:
    return f"{number:,.1f}".replace("-", "−")


def _wins(tally: Tally) -> Markup:
    even, rows = _even(tally), [_share_row(share, name_of(share)) for share in tally.shares()]
    told = f"The dashed line is an even share, {percent(even)}. A win that is shared counts as a part of one."
    return section("Wins by strategy and seat", wins_plot(tally), _share_table(rows), remark(told))


def wins_plot(tally: Tally) -> Markup:
    """Return the share that each strategy won, in all and on each seat."""
    rows = [Interval(name_of(share), share.share, *share.interval) for share in tally.shares()]
    return intervals(rows, "share of games won", percent, mark=_even(tally), least=0, most=1)


def _even(tally: Tally) -> float:
    return 1 / len(tally.plan.strategies)  # of a seat, since a strategy may have several


def name_of(share: Share) -> str:
    """Return the strategy, the seat, or both."""
    if share.seat is None:
        return share.strategy
    number = (share.seat or 0) + 1
    return f"seat {number}: {share.strategy}" if share.strategy else f"seat {number}"


def _named(shares: Iterable[Share]) -> list[Interval]:
    return [Interval(share.strategy, share.share, *share.interval) for share in shares]


def _seats(tally: Tally) -> Markup:
    shares = tally.by_seat()
    even = 1 / len(shares)
    rows = [Interval(name_of(share), share.share, *share.interval) for share in shares]
    plot = intervals(rows, "share of games won", percent, mark=even)
    first = shares[0].interval
    known = "may be equal to the others"
    if not first[0] <= even <= first[1]:
        known = "is favoured" if first[0] > even else "is at a disadvantage"
    beside = _share_table(_share_row(share, name_of(share)) for share in shares)
    return section("Wins by seat", plot, beside, remark(f"The first seat {known}."))


def _share_row(share: Share, name: str) -> tuple[str, ...]:
    low, high = share.interval
    interval = f"{percent(low)} to {percent(high)}"
    return name, whole(share.games), f"{share.wins:,.6g}", percent(share.share), interval


def _share_table(rows: Iterable[Sequence[str]]) -> Markup:
    return table(("", "games", "wins", "share", "interval"), rows)


def _strength(tally: Tally) -> Markup:
    first, second = dict.fromkeys(tally.plan.strategies)
    title = join([_name(first), " against ", _name(second)])
    scores = ("0 points", "½ point", "1 point", "1½ points", "2 points")
    total = sum(tally.pairs.counts)
    rows = [
        (score, whole(n), percent(n / total))
        for score, n in zip(scores, tally.pairs.counts, strict=True)
    ]
    pairs = (
        table((join([_name(first), " got"]), "pairs", "share"), rows),
        remark("A pair is two games with the same random numbers and swapped seats."),
    )
    words = []
    if tally.pairs.are_alike:
        plot = remark("All pairs have the same score, so the difference cannot be estimated.")
    else:
        elo, error = (number + 0.0 for number in tally.pairs.elo)  # no minus before a zero
        row = Interval(first, elo, elo - error, elo + error)
        plot = intervals([row], f"Elo over {shorten(second, 30)}", plain, mark=0)
        words.append(f"{elo:+.1f} ± {error:.1f} Elo".replace("-", "−"))
    if tally.sprt is not None:
        low, high = tally.sprt.bounds
        decided = "" if tally.accepted is None else f": {tally.accepted:g} Elo is accepted"
        llr = tally.sprt.llr(tally.pairs)
        words.append(
            f"Sequential test of {tally.sprt.elo0:g} against {tally.sprt.elo1:g} Elo:"
            f" LLR {llr:.2f}, from {low:.2f} to {high:.2f}{decided}."
        )
    return section(title, plot, *(element("p", line) for line in words), *pairs)


def _endings(endings: Mapping[str, int]) -> Markup:
    total = sum(endings.values())
    shares = [
        Share(name, None, total, times)
        for name, times in sorted(endings.items(), key=lambda each: -each[1])
    ]
    plot = intervals(_named(shares), "share of games", percent, least=0, most=1)
    rows = [
        (s.strategy, whole(s.wins), percent(s.share), "{} to {}".format(*map(percent, s.interval)))
        for s in shares
    ]
    return section("How games end", plot, table(("", "games", "share", "interval"), rows))


def _lengths(tally: Tally) -> Markup:
    plies = tally.plies
    longest = plies.quantile(0.99)
    drawn = {number: times for number, times in plies.counts.items() if number <= longest}
    plot = histogram(drawn or plies.counts, "length of a game, in plies", "games")
    facts = [
        ("least", plies.least),
        ("median", plies.quantile(0.5)),
        ("mean", plies.mean),
        ("1 in 100 is longer than", longest),
        ("most", plies.most),
    ]
    beside = table(("", "plies"), [(name, whole(value)) for name, value in facts])
    return section("Length", plot, beside, remark("Those longer than 99 in 100 are not drawn."))


def _gas(tally: Tally) -> Markup:
    entries = sorted(tally.gas.items(), key=lambda each: -each[1].quantile(0.5))
    named = [(name or "deployment", gas) for name, gas in entries]
    rows = [Interval(name, gas.quantile(0.5), gas.least, gas.quantile(0.99)) for name, gas in named]
    plot = intervals(rows, "gas of a call: least, median, 99th percentile", _thousands, least=0)
    numbers = [
        (name, *map(whole, (gas.count, gas.least, gas.quantile(0.5), gas.quantile(0.99), gas.most)))
        for name, gas in named
    ]
    columns = ("entry", "calls", "least", "median", "99th", "most")
    told = f"Median and percentile to three digits.{_of_first(tally)}"
    return section("Gas by entry", plot, table(columns, numbers), remark(told))


def _thousands(number: float) -> str:
    return f"{number / 1000:g}k" if number >= 1000 else f"{number:g}"


def _of_first(tally: Tally) -> str:
    return f" Of the first {whole(DETAILED)} games." if tally.games > DETAILED else ""


def _heat(tally: Tally, board: Picture | None) -> Markup:
    total = tally.heat.total()
    most = tally.heat.most_common(_SHOWN_PARTS)
    rows = [(name, whole(times), percent(times / total)) for name, times in most]
    beside = table(("place", "times", "share"), rows)
    told = f"{whole(total)} in all. The stronger the colour, the more moves.{_of_first(tally)}"
    shown = remark("The game's code has changed, so its board is not drawn.")
    if board is not None:
        known = {name: times for name, times in tally.heat.items() if name in board.parts}
        shown = Markup(board.heat(known).svg())
    return section("Where moves go", shown, beside, remark(told))


def _failures(tally: Tally, failures: Sequence[Row], folder: Path | None) -> Markup:
    rows = [(f"{row.game}", row.failure or "") for row in failures]
    first = failures[0]
    again = f"boardchain play {tally.plan.target} --out {folder} --replay {first.game}"
    lines = (first.transcript or "").strip()
    to_replay = "" if folder is None else f" To replay the first: {again}"
    told = remark(f"{len(rows)} of {whole(tally.failures)}.{to_replay}")
    shown = table(("game", "why"), rows, kind="table words")
    return section("Games that failed", shown, told, element("pre", lines))
