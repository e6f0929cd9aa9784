"""Deployed code goes on running after an edit; what a stranger deployed runs only if it is allowed."""

from __future__ import annotations

import importlib
import os
import shutil
import sqlite3
import subprocess
import sys
import traceback
import warnings
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, InvalidTransaction, Reverted, reverts
from chain.crypto.messagepack import decode
from chain.ledger.edits import EditNotDeployed
from chain.ledger.file.checksum import add_checksum, opened
from chain.ledger.kept_programs import list_of_deployed
from chain.simulator.upgrade import CannotUpgrade

RULES = """
import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from chain import Revert, error, event
from chain.types import u64

PRICES = json.loads(Path(__file__).with_name("prices.json").read_text("utf-8"))

class Phase(Enum):
    OPEN = "open"
    DRAWN = "drawn"

@dataclass(frozen=True)
class Ticket:
    price: u64
    phase: Phase

@event
class Bought:
    ticket: Ticket

@error
class WrongPrice(Revert):
    paid: u64
    asked: u64

def bonus(n):
    return n + 1
"""
LOTTERY = """
from chain import Contract, Map, call, init, view
from chain.types import Address, u64
from lotto import rules
from lotto.rules import Bought, Phase, Ticket, WrongPrice

class Lottery(Contract):
    phase: Phase
    tickets: Map[u64, Ticket]
    sold: u64

    @init
    def start(self, sold: u64 = 0) -> None:
        self.sold = sold

    @call
    def buy(self, price: u64, phase: Phase = Phase.OPEN) -> Ticket:
        if price != rules.PRICES[0]:
            raise WrongPrice(price, rules.PRICES[0])
        ticket = Ticket(price, phase)
        self.sold = rules.bonus(self.sold)
        self.tickets[self.sold] = ticket
        self.phase = Phase.DRAWN
        self.emit(Bought(ticket))
        return ticket

    @view
    def now(self) -> Phase:
        return self.phase

    @view(name="worth")
    def worth_of(self, ticket: Ticket) -> u64:
        return ticket.price * 2

    @view
    def share(self, among: u64) -> u64:
        return self.sold // among

class Shop(Contract):
    @call
    def open(self) -> Address:
        return self.deploy(Lottery, 7)
"""


class Lotto:
    """The package `lotto` in a folder, which tests edit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "lotto"
        self.folder.mkdir()
        self.write()

    def write(self, rules: str = RULES, lottery: str = LOTTERY, prices: str = "[9, 10]") -> Any:
        for name, text in (("__init__.py", ""), ("prices.json", prices), ("rules.py", rules)):
            (self.folder / name).write_text(text, "utf-8")
        (self.folder / "lottery.py").write_text(lottery, "utf-8")
        return self.again()

    def again(self) -> Any:
        """Import it as a new process does."""
        forget("lotto", "kept_")
        importlib.invalidate_caches()
        return importlib.import_module("lotto.lottery")


def forget(*starts: str) -> None:
    for name in [name for name in sys.modules if name.startswith(starts)]:
        del sys.modules[name]
    sys.meta_path[:] = [each for each in sys.meta_path if not hasattr(each, "constants")]


@pytest.fixture
def lotto(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lotto]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield Lotto(tmp_path)
    forget("lotto", "kept_")


@pytest.fixture
def file(lotto: Lotto, tmp_path: Path) -> Path:
    """A chain on which the first version was deployed and called."""
    path = tmp_path / "a.chain"
    module = lotto.again()
    with Chain.open(path) as chain:
        chain.deploy(module.Lottery).buy(9)
    return path


EDITS = {
    "a rule": {"rules": RULES.replace("n + 1", "n + 100")},
    "a rule of the contract": {"lottery": LOTTERY.replace("* 2", "* 3")},
    "a data file": {"prices": "[10, 10]"},
    "a method of a class": {
        "rules": RULES.replace(
            "class Phase(Enum):", "class Phase(Enum):\n    def f(self): return 1"
        )
    },
}


@pytest.mark.parametrize("edit", EDITS)
def test_deployed_version_goes_on_after_an_edit(edit: str, lotto: Lotto, file: Path) -> None:
    module = lotto.write(**EDITS[edit])
    with Chain.open(file, contracts=[module.Lottery]) as chain:
        goes_on(chain, chain.contract("Lottery"), module)
        goes_on(chain, chain.handle(module.Lottery, chain.contracts[0].address), module)


def goes_on(chain: Chain, lottery: Any, module: Any) -> None:
    """Check that the deployed version answers, in terms of the imported classes."""
    rules, sold = module.rules, lottery.fields.sold
    receipt = lottery.buy(9)
    assert lottery.fields.sold == sold + 1
    assert receipt.return_value == rules.Ticket(9, rules.Phase.OPEN)
    assert receipt.args == {"price": 9, "phase": rules.Phase.OPEN}
    assert list(receipt.events) == [rules.Bought(rules.Ticket(9, rules.Phase.OPEN))]
    assert chain.events(rules.Bought).count() == len(chain.receipts) - 1 == sold + 1
    assert lottery.now() is rules.Phase.DRAWN is lottery.fields.phase
    assert lottery.fields.tickets[1].phase is rules.Phase.OPEN
    assert lottery.buy(9, rules.Phase.DRAWN).return_value.phase is rules.Phase.DRAWN
    assert lottery.worth(rules.Ticket(4, rules.Phase.OPEN)) == 8
    assert chain.history(lottery, "phase")[-1].value is rules.Phase.DRAWN
    assert receipt.trace.result == rules.Ticket(9, rules.Phase.OPEN)
    assert chain.at(2).handle(lottery).now() is rules.Phase.DRAWN
    assert chain.fork().handle(lottery).buy(9).ok
    with reverts(rules.WrongPrice(8, 9)):
        lottery.buy(8)
    with chain.setting():
        lottery.fields.phase = rules.Phase.OPEN
    assert lottery.now() is rules.Phase.OPEN
    chain.revert(chain.snapshot_at_end_of(receipt.block_number))


def test_class_as_it_was_runs_itself(lotto: Lotto, file: Path) -> None:
    """Also after an edit was taken back. It need not be declared."""
    lotto.write(**EDITS["a rule"])
    module = lotto.write()
    with Chain.open(file) as chain:
        assert chain.contract("Lottery").contract is module.Lottery
        assert not kept_modules()


def test_class_is_imported_if_its_deployer_opens_the_file(lotto: Lotto, file: Path) -> None:
    forget("lotto")
    with Chain.open(file) as chain:
        lottery = chain.contract("Lottery")
        assert lottery.contract is sys.modules["lotto.lottery"].Lottery
    forget("lotto")
    (lotto.folder / "rules.py").write_text(RULES.replace("n + 1", "n + 7"), "utf-8")
    with Chain.open(file) as chain:
        with pytest.warns(EditNotDeployed):
            lottery = chain.contract("Lottery")
        goes_on(chain, lottery, sys.modules["lotto.lottery"])
    forget("lotto")
    (lotto.folder / "rules.py").write_text("raise SystemExit", "utf-8")
    with Chain.open(file) as chain:
        assert chain.contract("Lottery").now().name == "DRAWN"


def kept_modules() -> list[str]:
    return [name for name in sys.modules if name.startswith("kept_")]


def test_deployed_version_goes_on_without_its_package(lotto: Lotto, file: Path) -> None:
    shutil.rmtree(lotto.folder)
    forget("lotto")
    with Chain.open(file) as chain:
        assert str(chain.contract("Lottery").buy(9).return_value) == (
            "Ticket(price=9, phase=<Phase.OPEN: 'open'>)"
        )
    with Chain.watch(file) as chain:
        assert chain.contract("Lottery").now().name == "DRAWN"


def test_moved_and_renamed_classes_are_other_contracts(lotto: Lotto, file: Path) -> None:
    renamed = lotto.write(lottery=LOTTERY.replace("Lottery", "Raffle"))
    (lotto.folder / "moved.py").write_text(LOTTERY.replace("* 2", "* 3"), "utf-8")
    moved = importlib.import_module("lotto.moved")
    with (
        warnings.catch_warnings(),
        Chain.open(file, contracts=[renamed.Raffle, moved.Lottery]) as chain,
    ):
        warnings.simplefilter("error")
        lottery = chain.contract("Lottery")
        goes_on(chain, lottery, renamed)
        assert chain.deploy(moved.Lottery).worth(moved.Ticket(4, moved.Phase.OPEN)) == 12
        assert chain.deploy(renamed.Raffle).now() is moved.Phase.OPEN
        assert lottery.worth(moved.Ticket(4, moved.Phase.OPEN)) == 8


def test_two_versions_run_beside_each_other(lotto: Lotto, file: Path) -> None:
    second = lotto.write(rules=RULES.replace("n + 1", "n + 100"))
    with Chain.open(file, contracts=[second.Lottery]) as chain:
        chain.deploy(second.Lottery).buy(9)
    third = lotto.write(rules=RULES.replace("n + 1", "n + 5"))
    with Chain.open(file) as chain:
        chain.deploy(third.Lottery)
        lotteries = [chain.contract(name) for name in ("Lottery", "Lottery#2", "Lottery#3")]
        for lottery in lotteries:
            assert lottery.buy(9).return_value.phase is third.Phase.OPEN
        assert [lottery.fields.sold for lottery in lotteries] == [2, 200, 5]
    assert len({name.partition(".")[0] for name in kept_modules()}) == 2


def test_message_reaches_a_deployed_version_first_through_another(lotto: Lotto, file: Path) -> None:
    asker = (
        "from chain import Contract, view\nfrom chain.types import Address, u64\n"
        "from lotto.lottery import Lottery\nfrom lotto.rules import Ticket, Phase\n"
        "class Asker(Contract):\n    @view\n    def ask(self, whom: Address) -> u64:\n"
        "        return self.at(Lottery, whom).worth_of(Ticket(5, Phase.OPEN))\n"
    )
    lotto.write(lottery=LOTTERY.replace("* 2", "* 3"))
    (lotto.folder / "asker.py").write_text(asker, "utf-8")
    importlib.invalidate_caches()
    asking = importlib.import_module("lotto.asker")
    with Chain.open(file) as chain:
        assert chain.deploy(asking.Asker).ask(chain.contracts[0].address) == 10


def test_factory_deploys_what_it_deployed_before(lotto: Lotto, tmp_path: Path) -> None:
    """The class that it deploys after the edit is kept too."""
    module, path = lotto.again(), tmp_path / "shop.chain"
    with Chain.open(path) as chain:
        chain.deploy(module.Shop)
    lotto.write(rules=RULES.replace("n + 1", "n + 100"))
    with Chain.open(path) as chain:
        made = chain.contract("Shop").open().return_value
        chain.contract(made).buy(9)
    lotto.again()
    with Chain.open(path) as chain:
        lottery = chain.contract("Lottery")
        lottery.buy(9)
        assert lottery.fields.sold == 9


def test_kept_version_is_upgraded_to_the_edited_one(lotto: Lotto, file: Path) -> None:
    longer = LOTTERY.replace("sold: u64\n\n", "sold: u64\n    extra: u64\n\n")
    edited = lotto.write(lottery=longer.replace("* 2", "* 3"))
    broken = LOTTERY.replace("    phase: Phase\n    tickets", "    tickets")
    with Chain.open(file, contracts=[edited.Lottery]) as chain:
        lottery = chain.contract("Lottery")
        chain.upgrade(lottery, edited.Lottery)
        assert chain.contract("Lottery").contract is edited.Lottery
        assert lottery.worth(edited.Ticket(4, edited.Phase.OPEN)) == 12
        assert chain.at(2).contract("Lottery").worth(edited.Ticket(4, edited.Phase.OPEN)) == 8
    broken = broken.replace("self.phase = Phase.DRAWN", "").replace("self.phase", "Phase.OPEN")
    third = lotto.write(lottery=broken)
    with (
        Chain.open(file, contracts=[third.Lottery]) as chain,
        pytest.raises(CannotUpgrade, match=r"Lottery\.phase was removed"),
    ):
        chain.upgrade(chain.contract("Lottery"), third.Lottery)


SCRIPT = """
import sys
from typing import TypeVar
from chain import Chain, Contract, call
from chain.types import u64

STEP, T = 1, TypeVar("T")

class Counter(Contract):
    total: u64

    @call
    def add(self) -> u64:
        self.total += STEP
        return self.total

chain = Chain.open("script.chain")
counter = chain.contract("Counter") if chain.receipts else chain.deploy(Counter)
receipt = counter.add()
for n in range(2): counter.add()
print(counter.fields.total, len(chain.receipts))
chain.close()
sys.exit(STEP - 1)
"""


def test_script_is_not_done_again(lotto: Lotto, tmp_path: Path) -> None:
    """What it defines runs as it was deployed; what it does, it does once, when it is run."""
    script, told = tmp_path / "script.py", list[str]()
    for text in (SCRIPT, SCRIPT, SCRIPT.replace("STEP, T = 1", "STEP, T = 10"), SCRIPT):
        script.write_text(text, "utf-8")
        done = subprocess.run(
            [sys.executable, script], capture_output=True, text=True, cwd=tmp_path
        )
        told.append(done.stdout)
        assert ("Counter was edited" in done.stderr) == ("10" in text)
    assert told == ["3 4\n", "6 7\n", "9 10\n", "12 13\n"]


# What is said


def test_edit_is_told_of_once(lotto: Lotto, file: Path) -> None:
    edited = lotto.write(**EDITS["a rule"])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with Chain.open(file, contracts=[edited.Lottery, edited.Shop]) as chain:
            for _ in range(2):
                chain.handle(edited.Lottery, chain.contracts[0].address).now()
            chain.deploy(edited.Lottery)
        Chain.open(file, contracts=[edited.Lottery]).close()
    assert [(each.category, each.filename) for each in told] == [(EditNotDeployed, __file__)]
    assert str(told[0].message) == (
        "Lottery was edited after it was deployed, and the chain goes on running the deployed version: 'boardchain deploy …"
        " --upgrade' or chain.upgrade replaces it by the edited one, '--beside' or chain.deploy adds that as another contract;"
        " a running node learns of it by 'boardchain reload'"
    )


def test_edit_that_is_being_deployed_is_not_told_of(lotto: Lotto, file: Path) -> None:
    edited = lotto.write(**EDITS["a rule"])
    with warnings.catch_warnings(), Chain.open(file) as chain:
        warnings.simplefilter("error")
        chain.upgrade(chain.contracts[0].address, edited.Lottery)


def test_failure_shows_the_line_as_it_was_deployed(lotto: Lotto, file: Path) -> None:
    lotto.write(lottery="\n\n\n" + LOTTERY.replace("* 2", "* 3"))
    with Chain.open(file) as chain:
        lottery = chain.contract("Lottery")
        failure = lottery.buy(8, check=False).error
        digest = chain.code(lottery.address)[-32:].hex()
        assert failure.place == f"lotto/lottery.py@deployed-{digest[:8]}:19"
        with pytest.raises(Reverted) as caught:
            lottery.share(0)
    shown = "".join(traceback.format_exception(caught.value))
    assert f'lottery.py@deployed-{digest[:8]}", line 37, in share' in shown
    assert "return self.sold // among" in shown


# Trust


@pytest.fixture
def strangers(lotto: Lotto, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that another user wrote, whose package is not here."""
    shutil.rmtree(lotto.folder)
    forget("lotto")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    return file


def test_program_of_a_stranger_runs_only_if_it_is_allowed(strangers: Path) -> None:
    told = (
        r"the file holds the sources of Lottery, which run only if you deployed them or allow them, "
        r"with Chain\.open\(…, trust=True\) or --trust; "
    )
    with Chain.open(strangers) as chain:
        (lottery,) = chain.contracts
        with pytest.raises(LookupError, match=told):
            chain.contract("Lottery")
        with pytest.raises(InvalidTransaction, match=told):
            chain.send(lottery.address, b"1234")
        assert [event.ticket.price for event in chain.events("Bought")] == [9]
        assert not kept_modules()
    with Chain.open(strangers, trust=True) as chain:
        assert chain.contract("Lottery").buy(9).ok
    with pytest.raises(LookupError, match=told), Chain.watch(strangers) as chain:
        chain.contract("Lottery")
    assert Chain.watch(strangers, trust=True).contract("Lottery").now().name == "DRAWN"
    assert not list_of_deployed().exists()  # to allow it is not to deploy it


def test_changed_sources_of_a_deployed_contract_do_not_run(lotto: Lotto, file: Path) -> None:
    """Even if the contract has a digest that this user deployed: all of a module runs, and a digest covers less."""
    lotto.write(**EDITS["a rule"])
    with closing(sqlite3.connect(file)) as connection, connection:
        digest, stored = connection.execute('select * from "chain:programs"').fetchone()
        raw = zlib.decompress(decode(opened("programs", digest, stored)))
        worse = zlib.compress(raw.replace(b"import json\n", b"import turtle"[:12], 1))
        assert worse != zlib.compress(raw)
        row = add_checksum("programs", digest, worse)
        connection.execute('update "chain:programs" set row = ?', (row,))
    with Chain.open(file) as chain, pytest.raises(LookupError, match="run only if you deployed"):
        chain.contract("Lottery")


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="it asks who may write to a file")
def test_list_that_others_may_write_to_does_not_count(lotto: Lotto, file: Path) -> None:
    lotto.write(**EDITS["a rule"])
    assert list_of_deployed().stat().st_mode & 0o777 == 0o600
    list_of_deployed().chmod(0o622)
    with Chain.open(file) as chain, pytest.raises(LookupError, match="run only if you deployed"):
        chain.contract("Lottery")


def test_deployment_is_listed_once(lotto: Lotto, file: Path, tmp_path: Path) -> None:
    module = lotto.again()
    for number in range(2):
        with Chain.open(tmp_path / f"{number}.chain") as chain:
            chain.deploy(module.Lottery)
            chain.deploy(module.Lottery)
    lines = list_of_deployed().read_text().splitlines()
    assert [line.split()[1] for line in lines] == ["Lottery"] * len(set(lines))


def test_damaged_program_is_named(lotto: Lotto, file: Path) -> None:
    lotto.write(**EDITS["a rule"])
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute('update "chain:programs" set row = substr(row, 1, 99)')
    with Chain.open(file) as chain, pytest.raises(OSError, match="is not as it was written"):
        chain.contract("Lottery")
    with pytest.raises(OSError, match=r'row 0x.* of "chain:programs" is not as it was written'):
        Chain.open(file, check=True)


def test_deployment_is_written_with_its_program_or_not_at_all(
    lotto: Lotto, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited = lotto.write(**EDITS["a rule"])

    def fails(*_: object) -> None:
        raise OSError("the disk is full")

    with Chain.open(file) as chain:
        with monkeypatch.context() as patch:
            patch.setattr("chain.ledger.file.store.kept_rows", fails)
            with pytest.raises(OSError, match="nothing was done"):
                chain.deploy(edited.Lottery)
        assert len(chain.receipts) == 2
        chain.deploy(edited.Lottery)
    assert len(programs_in(file)) == 2


# JSON-RPC


class Recorder:
    """A node whose answers are kept."""

    def __init__(self, node: Any) -> None:
        self._node, self.answers = node, list[str]()

    def handle(self, request: Any) -> Any:
        answer = self._node.handle(request)
        self.answers.append(repr(answer))
        return answer

    def ask(self, method: str, *params: object) -> str:
        self.handle({"jsonrpc": "2.0", "id": 1, "method": method, "params": [*params]})
        return self.answers[-1]


def test_node_runs_what_was_deployed_and_tells_no_source(lotto: Lotto, file: Path) -> None:
    """The chain of a client, with its forks, runs imported classes only."""
    edited = lotto.write(**EDITS["a rule"])
    with Chain.open(file) as chain:
        (lottery,), node = chain.contracts, Recorder(chain.node)
        near = Chain.connect(node, contracts=[edited.Lottery])
        buy = edited.Lottery.__spec__.entries["buy"]
        assert near.send(lottery.address, buy.encode_args((9,), {})).ok
        assert chain.contract("Lottery").fields.sold == 2
        for each in (near, near.fork()):
            with pytest.raises(LookupError, match="is not known here in its deployed form"):
                each.contract(lottery.address)
        for method in ("chain_programs", "chain_contracts", "anvil_dumpState"):
            node.ask(method)
        for method in ("chain_receipt", "chain_trace"):
            node.ask(method, 1)
        for table in ('"chain:programs"', "main.[chain:programs]"):
            assert "no such table: chain:programs" in node.ask(
                "chain_sql", f"select * from {table}"
            )
        answers = " ".join(node.answers)
    (row,) = (stored for _, stored in programs_in(file))
    shown = (
        row[20:60].hex(),
        repr(row[20:30])[2:-1],
        "def buy",
        "import json",
        b"import json".hex(),
    )
    assert not [text for text in shown if text in answers]


def programs_in(file: Path) -> list[tuple[bytes, bytes]]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute('select * from "chain:programs"').fetchall()
