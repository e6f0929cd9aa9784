"""Campaigns give the same results however they are played, whichever process is killed, and wherever they are resumed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from signal import SIGKILL

import pytest

from chain import Chain
from chain.arena import OtherPlan, Plan, Store, Tally, play, player_process
from chain.arena.estimates import Sprt
from chain.arena.match import Row, play_game, replay_into
from chain.arena.persistent_player import PersistentPlayer, PlayerLost
from chain.arena.player_process import OtherCode, PlayerProcess, PlayerSetting
from chain.replays import replay
from chain.replays.subprocess_runs import subprocess_env
from tests.chain.arena.nim import MARK, Nim

pytestmark = pytest.mark.usefixtures("kept_code")

NIM = "tests.chain.arena.nim"
GAMES = 12
LOST = "its players crashed, or were silent for too long"

# A campaign whose driver is killed when it has stored so many chunks.
DYING = f"""
import os, signal, sys
from pathlib import Path
from chain.arena import Plan, Store, play

chunks, add = iter(range(int(sys.argv[2]))), Store.add

def dying(self, rows, *count, **until):
    if next(chunks, None) is None:
        os.kill(os.getpid(), signal.SIGKILL)
    add(self, rows, *count, **until)

Store.add = dying
play(Plan.of("{NIM}", ["perfect", "random"]), {GAMES}, chunk=1, workers=2, out=Path(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def plan() -> Plan:
    return Plan.of(NIM, ["perfect", "random"])


@pytest.fixture(scope="module")
def expected(plan: Plan) -> str:
    """The digest of the rows, played here one after the other."""
    return digest_of(plan, [play_game(plan, number) for number in range(GAMES)])


def digest_of(plan: Plan, rows: list[Row]) -> str:
    with Store() as store:
        store.follow(plan)
        store.add(rows)
        return store.digest()


@pytest.mark.parametrize(
    ("workers", "chunk", "hash_seed"),
    [(1, 1, 0), (1, 50, 7), (2, 1, 1), (3, 2, 42), (2, None, 4_294_967_295)],
)
def test_results_depend_on_plan_alone(
    plan: Plan, expected: str, workers: int, chunk: int | None, hash_seed: int
) -> None:
    tally = play(
        plan, GAMES, workers=workers, chunk=chunk, setting=PlayerSetting(hash_seed=hash_seed)
    )
    assert tally.digest == expected
    assert tally.games == GAMES


def test_campaigns_differ(plan: Plan, expected: str) -> None:
    other = replace(plan, campaign="other")
    assert digest_of(other, [play_game(other, number) for number in range(GAMES)]) != expected


def test_killed_player_is_restarted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MARK, str(tmp_path / "mark"))
    plan = Plan.of(NIM, ["deadly", "random"])
    killed = play(plan, GAMES, workers=2, chunk=3)
    assert (tmp_path / "mark").exists()
    assert killed.digest == digest_of(plan, [play_game(plan, number) for number in range(GAMES)])


def test_game_that_ends_every_player_has_failed() -> None:
    """It is kept with the moves that were made."""
    plan = Plan.of(NIM, ["fatal", "random"], bare=True)
    with closing(PersistentPlayer(plan, lambda: PlayerProcess(plan, PlayerSetting()))) as player:
        (row,) = islice(player.rows([1]), 2)
    assert (row.game, row.failure, row.plies) == (1, LOST, 1)
    assert (row.transcript or "").startswith("1 random: ")


def test_hung_game_fails_and_play_continues(tmp_path: Path) -> None:
    """A game that computes forever keeps the transcript of its chain; one that sleeps is killed with its player."""
    plan = Plan.of(NIM, ["endless", "random"])
    assert play(plan, 3, out=tmp_path, setting=PlayerSetting(seconds=0.2)).games == 3
    with Store(tmp_path) as store:
        failed = [*store.failures()]
    assert failed
    assert all((row.failure or "").startswith("TimeUp: it took more than 0.2 s") for row in failed)
    assert all('"entry":"fill"' in (row.transcript or "") for row in failed)


def test_silent_player_is_killed(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlayerSetting, "patience", 0.1)
    monkeypatch.setattr(player_process, "_LOOK", 0.02)
    asleep = Plan.of(NIM, ["asleep", "random"], bare=True)
    player = PersistentPlayer(asleep, lambda: PlayerProcess(asleep, PlayerSetting()))
    (row,) = player.rows([0])
    player.close()
    assert row.failure == LOST


def test_game_that_cannot_be_imported_is_reported() -> None:
    with pytest.raises(PlayerLost, match="3 players in turn ended before they could play game 0"):
        play(Plan("tests.no.game", ("a", "b"), ""), 2)


@pytest.mark.parametrize("chunks", [0, 5])
def test_killed_driver_resumes(plan: Plan, expected: str, tmp_path: Path, chunks: int) -> None:
    words = [sys.executable, "-c", DYING, str(tmp_path), str(chunks)]
    killed = subprocess.run(words, env=subprocess_env(0), capture_output=True, timeout=60)
    assert (killed.returncode, killed.stderr) == (-SIGKILL, b"")  # and its players have ended too
    with Store(tmp_path) as store:
        assert len(store.games()) == chunks
    assert play(plan, GAMES, out=tmp_path).digest == expected


def test_campaign_may_grow(plan: Plan, expected: str, tmp_path: Path) -> None:
    play(plan, 5, out=tmp_path)
    seen: list[int] = []
    tally = play(plan, GAMES, out=tmp_path, watch=lambda done, _: seen.append(done))
    assert (tally.digest, seen[0], sum(seen)) == (expected, 5, GAMES)


def test_count_is_stored_with_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A resumed campaign looks only at the rows before the first missing one."""
    plan = Plan.of(NIM, ["wrong", "random"])
    rows = [play_game(plan, number) for number in range(GAMES)]
    with Store(tmp_path) as store:
        store.follow(plan)
        store.add([*rows[:7], rows[9]], store.tally())
    seen, rows_of = list[int](), Store.rows

    def watched(self: Store, *, first: int = 0, until: int) -> Iterator[Row]:
        seen.append(first)
        return rows_of(self, first=first, until=until)

    monkeypatch.setattr(Store, "rows", watched)
    grown = play(plan, GAMES, out=tmp_path)
    assert seen[0] == 7
    whole = Tally(plan)
    for row in rows:
        whole.add(row)
    assert grown == whole


def test_fewer_games_are_counted_again(plan: Plan, tmp_path: Path) -> None:
    rows = [play_game(plan, number) for number in range(GAMES)]
    with Store(tmp_path) as store:
        store.follow(plan)
        store.add(rows, store.tally())
    fewer = Tally(plan)
    for row in rows[:5]:
        fewer.add(row)
    assert play(plan, 5, out=tmp_path) == fewer


def test_other_plan_is_refused(plan: Plan, tmp_path: Path) -> None:
    play(plan, 1, out=tmp_path)
    with pytest.raises(OtherPlan, match="campaign is '' there and 'other' here"):
        play(replace(plan, campaign="other"), 1, out=tmp_path)
    with pytest.raises(OtherPlan, match="the code of the game has changed since"):
        play(replace(plan, digest="ab"), 1, out=tmp_path)


def test_other_code_in_player_is_refused(plan: Plan) -> None:
    with pytest.raises(OtherCode, match=f"the code of {NIM} has changed"):
        play(replace(plan, digest="ab"), 1)


def test_test_of_strength_leaves_earlier_results(plan: Plan, tmp_path: Path) -> None:
    bare = replace(plan, bare=True)
    whole = play(bare, 600, out=tmp_path).digest
    judged = play(bare, 600, out=tmp_path, sprt=Sprt(0, 10))
    with Store(tmp_path) as store:
        assert (store.done, store.digest()) == (600, whole)
        assert store.kept_tally.games == judged.games < 600
    assert play(bare, 600, out=tmp_path).digest == whole


@pytest.mark.parametrize("games", [10, 30])
def test_report_shows_as_many_games_as_requested(plan: Plan, tmp_path: Path, games: int) -> None:
    play(plan, 20, out=tmp_path)
    assert play(plan, games, out=tmp_path).games == games
    with Store(tmp_path) as store:
        assert store.kept_tally.games == games


def test_prints_do_not_mix_with_answers() -> None:
    plan = Plan.of(NIM, ["loud"])
    assert play(plan, 2).digest == digest_of(plan, [play_game(plan, 0), play_game(plan, 1)])


def test_perfect_player_wins_unless_lost_from_start(plan: Plan) -> None:
    tally = play(replace(plan, bare=True), 100)
    best, worst, *_ = tally.shares()
    assert (best.strategy, worst.strategy, best.games) == ("perfect", "random", 100)
    assert best.share > 0.8
    assert sum(tally.pairs.counts) == 50


@pytest.mark.parametrize("chunk", [1, 50])
def test_test_of_strength_stops_at_same_pair(plan: Plan, chunk: int, tmp_path: Path) -> None:
    bare = replace(plan, bare=True)
    tally = play(bare, 1000, workers=2, chunk=chunk, sprt=Sprt(0, 10), out=tmp_path)
    with Store(tmp_path) as store:
        assert store.digest() == tally.digest
    assert tally.accepted == 10
    assert tally.games < 1000
    assert tally.digest == digest_of(
        bare, [play_game(bare, number) for number in range(tally.games)]
    )


def test_failures_keep_transcripts(tmp_path: Path) -> None:
    plan = Plan.of(NIM, ["wrong", "random"])
    tally = play(plan, 20, out=tmp_path)
    with Store(tmp_path) as store:
        failed = [*store.failures()]
    reasons = {row.failure for row in failed}
    assert reasons == {"RuntimeError: seven", "IllegalChoice: wrong chose 4"}
    assert tally.failures == len(failed)
    assert all(replay(row.transcript or "", contracts=[Nim]).ok for row in failed)


@pytest.mark.slow
def test_rare_bug_is_found_and_met_again(tmp_path: Path) -> None:
    plan = Plan.of(NIM, ["careless", "random"], bare=True)
    tally = play(plan, 20_000, out=tmp_path)
    with Store(tmp_path) as store:
        failed = [*store.failures()]
    assert 0 < len(failed) == tally.failures < 12  # 4 are expected
    for number, row in enumerate(failed):
        again = replay_into(plan, row.game, tmp_path / f"{number}.chain")
        assert row.failure == again.failure == "RuntimeError: rare"
        assert row.plies == again.plies == (row.transcript or "").count("\n")


def test_endless_game_fails() -> None:
    plan = Plan.of(NIM, ["idle"], bare=True, most_plies=5)
    row = play_game(plan, 0)
    assert row.failure == "NoEnd: the game has not ended after 5 plies"
    assert row.transcript is not None and row.transcript.endswith("5 idle: 0\n")


def test_bare_games_are_checked_on_chain() -> None:
    cheat = Plan.of("tests.chain.arena.cheat", ["random"], bare=True)
    assert play_game(cheat, 0).failure is None
    row = play_game(replace(cheat, check=1), 0)
    assert row.failure == "by the rules and on a chain: it ends differently on a chain"


@pytest.mark.parametrize(("check", "least", "most"), [(0, 0, 0), (0.1, 50, 150), (1, 1000, 1000)])
def test_share_of_games_is_checked(plan: Plan, check: float, least: int, most: int) -> None:
    bare = replace(plan, bare=True, check=check)
    assert least <= sum(map(bare.is_checked, range(1000))) <= most


def test_game_is_played_again_into_file(plan: Plan, tmp_path: Path) -> None:
    file = tmp_path / "game.chain"
    assert replay_into(plan, 3, file) == play_game(plan, 3)
    with Chain.open(file, contracts=[Nim]) as chain:
        assert chain.receipts[-1].entry == "take"
    with pytest.raises(FileExistsError):
        replay_into(plan, 3, file)
