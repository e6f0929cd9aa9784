"""A file can be opened by one process at a time, under whatever name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copyfile

import pytest

from chain import Chain
from chain.ledger.file.chain_file import BadChainFile
from tests.chain.toys import Counter


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    return folder / "duel.chain"


@pytest.fixture
def chain(path: Path) -> Iterator[Chain]:
    with Chain.open(path, contracts=[Counter]) as chain:
        chain.deploy(Counter)
        yield chain


def test_symbolic_link_uses_the_same_lock(chain: Chain, path: Path) -> None:
    link = path.with_name("link.chain")
    link.symlink_to(path)
    with pytest.raises(
        BadChainFile, match=rf"link\.chain is open for writing in process {os.getpid()} "
    ):
        Chain.open(link)


def test_log_beside_the_file_is_read_through_a_symbolic_link(
    chain: Chain, path: Path, tmp_path: Path
) -> None:
    chain.handle(Counter, chain.receipts[0].address).add(1)
    for end in ("", "-wal"):  # as a kill would leave them
        copyfile(f"{path}{end}", tmp_path / f"killed.chain{end}")
    folder = tmp_path / "links"
    folder.mkdir()
    (folder / "link.chain").symlink_to(tmp_path / "killed.chain")
    with Chain.open(folder / "link.chain", contracts=[Counter]) as again:
        assert len(again.receipts) == len(chain.receipts)


def test_log_of_a_deleted_file_is_not_that_of_a_new_one(chain: Chain, path: Path) -> None:
    chain.handle(Counter, chain.receipts[0].address).add(1)
    copyfile(f"{path}-wal", path.with_name("new.chain-wal"))  # as a kill would leave it
    with Chain.open(path.with_name("new.chain")) as new:
        new.mine()
    with Chain.open(path.with_name("new.chain")) as again:
        assert (again.head.number, len(again.receipts)) == (1, 0)


def test_hard_link_is_refused(chain: Chain, path: Path) -> None:
    os.link(path, path.with_name("link.chain"))
    with pytest.raises(BadChainFile, match=r"link\.chain has other names \(hard links\)"):
        Chain.open(path.with_name("link.chain"))


def in_child(act: Callable[[], str]) -> str:
    """Return the result of `act` in a child of this process."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(write, act().encode())
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as pipe:
        return pipe.read()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of fork, where there are threads
def test_child_is_refused_and_the_parent_continues(chain: Chain, path: Path) -> None:
    counter = chain.handle(Counter, chain.receipts[0].address)
    counter.add(1)

    def used() -> str:
        said = []
        for act in (lambda: counter.add(2), chain.mine, chain.close):
            try:
                act()
            except RuntimeError as no:
                said.append(str(no))
        return "\n".join(said)

    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    lines = in_child(used).splitlines()
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
    assert len(lines) == 2 and len(set(lines)) == 1
    assert lines[0].startswith(
        f"duel.chain is open in process {os.getpid()}, of which this one is a fork"
    )
    with pytest.raises(BadChainFile, match="is open for writing"):
        Chain.open(path)
    assert counter.add(3).ok
    chain.close()
    with Chain.open(path, contracts=[Counter]) as again:
        assert len(again.receipts) == 3


def test_wrong_lock_is_named(path: Path) -> None:
    path.with_name("duel.chain-lock").write_text("something else" * 10)
    with pytest.raises(BadChainFile, match=r"its lock duel\.chain-lock: file is not a database"):
        Chain.open(path)
