"""The pytest plugin: the fixtures `chain`, `accounts`, `alice`, `bob`, `carol`, `deploy`, and an anchor around every test.

After a test, each chain is reverted to its state at the beginning of the test, whichever fixture made it. Before each
Hypothesis example it is reverted to its state before the first one. The effects of fixtures with a wider scope remain. A test
that fails shows the lines of the test and of the contracts, the activity on its chains, and the path of the saved pictures of
the board that the last transaction was about. Nothing of the engine is imported until a fixture is used.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import pytest

from chain.foundation import creation_hooks
from chain.plugins.pytest_plugin import plain_imports, tracebacks
from chain.plugins.pytest_plugin.isolation import ChainIsolation
from chain.source.user_modules import add_project

if TYPE_CHECKING:
    from chain.crypto.accounts import Account
    from chain.plugins.pytest_plugin.gas_report import GasReport
    from chain.simulator.chain import Chain
    from chain.simulator.handle import Handle

# Fixtures


@pytest.fixture
def chain() -> Chain:
    """A new chain in memory."""
    new_chain: Chain = import_module("chain.simulator.chain").Chain()
    return new_chain


@pytest.fixture
def deploy(chain: Chain) -> Callable[..., Handle]:
    """`deploy(Contract, *args)` on the test's chain."""
    return chain.deploy


@pytest.fixture(scope="session")
def accounts() -> list[Account]:
    """The ten funded accounts that every chain has."""
    return list(import_module("chain.crypto.accounts").ACCOUNTS)


@pytest.fixture(scope="session")
def alice(accounts: list[Account]) -> Account:
    """The first of the accounts."""
    return accounts[0]


@pytest.fixture(scope="session")
def bob(accounts: list[Account]) -> Account:
    """The second of the accounts."""
    return accounts[1]


@pytest.fixture(scope="session")
def carol(accounts: list[Account]) -> Account:
    """The third of the accounts."""
    return accounts[2]


# Anchors

_KEY: Final = pytest.StashKey[ChainIsolation]()
_LIMITER: Final = pytest.StashKey[Callable[["Chain"], None]]()
_REPORT: Final = pytest.StashKey[int]()  # a copy of stderr, which pytest takes away while tests run
_GAS: Final[pytest.StashKey[GasReport]] = pytest.StashKey()  # present if a gas option is used


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("boardchain")
    group.addoption(
        "--double-run",
        action="store_true",
        help="run the tests again under four other hash seeds, and compare the resulting chains",
    )
    group.addoption(
        "--gas-report", action="store_true", help="show the gas of the calls to each entry"
    )
    group.addoption(
        "--contract-debug", action="store_true", help="let print and breakpoint in contracts work"
    )
    group.addoption(
        "--time-limit",
        metavar="SECONDS",
        help="end messages that compute for longer than 10 s, or than this; none: no limit",
    )
    group.addoption(
        "--memory-limit",
        metavar="BYTES",
        help="end messages that take more memory than 1G, or than this; none: no limit",
    )
    group.addoption("--gas-by-test", action="store_true", help="also show it for each test")
    group.addoption(
        "--gas-snapshot",
        metavar="FILE",
        help="write the gas of each test to a file; if the file exists, fail where a test that ran differs",
    )


def pytest_configure(config: pytest.Config) -> None:
    add_project(config.rootpath)
    plain_imports.begin()
    if config.option.fulltrace:
        patch = pytest.MonkeyPatch()
        patch.setenv("BOARDCHAIN_DEBUG", "1")  # of failures in contracts, too
        config.add_cleanup(patch.undo)
    else:
        config.pluginmanager.register(tracebacks)
    anchors = config.stash[_KEY] = ChainIsolation()
    creation_hooks.creation_listeners.append(anchors.register_chain)
    if config.getoption("contract_debug", default=False):
        creation_hooks.creation_listeners.append(_debug)
    report = config.stash[_REPORT] = os.dup(2)
    config.stash[_LIMITER] = _limiter(config, report)
    creation_hooks.creation_listeners.append(config.stash[_LIMITER])
    if config.getoption("double_run", default=False):
        config.pluginmanager.register(
            import_module("chain.plugins.pytest_plugin.hash_seeds").HashSeedRuns(config, anchors)
        )
    if config.option.gas_report or config.option.gas_by_test or config.option.gas_snapshot:
        config.stash[_GAS] = import_module("chain.plugins.pytest_plugin.gas_report").GasReport()
        creation_hooks.creation_listeners.append(config.stash[_GAS].register_chain)


def _debug(chain: Chain) -> None:
    chain.machine.debug()


def _limiter(config: pytest.Config, report: int) -> Callable[[Chain], None]:
    """Return what gives a new chain the limits of the command line, unless it has others than usual.

    A process that has to end writes the lines that run to the file `report`.
    """
    words = {name: config.getoption(f"{name}_limit", default=None) for name in ("time", "memory")}

    def limit(chain: Chain) -> None:
        watchdog = import_module("chain.foundation.watchdog")
        watchdog.report_to(report)
        if any(words.values()) and chain.machine.limits == watchdog.DEFAULT_LIMITS:
            read_limits = import_module("chain.values.inputs").read_limits
            chain.machine.limit(watchdog.DEFAULT_LIMITS._replace(**read_limits(words)))

    return limit


def pytest_unconfigure(config: pytest.Config) -> None:
    plain_imports.end()
    if _debug in creation_hooks.creation_listeners:
        creation_hooks.creation_listeners.remove(_debug)
    creation_hooks.creation_listeners.remove(config.stash[_LIMITER])
    os.close(config.stash[_REPORT])
    creation_hooks.creation_listeners.remove(config.stash[_KEY].register_chain)
    if _GAS in config.stash:
        creation_hooks.creation_listeners.remove(config.stash[_GAS].register_chain)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.config.stash[_KEY].start_test()
    if _GAS in item.config.stash:
        item.config.stash[_GAS].start(item.nodeid, counts=_examples(item)[0] is None)


@pytest.fixture(autouse=True)
def _boardchain_anchor(request: pytest.FixtureRequest) -> Iterator[None]:
    """Anchor the test. Set up first of the test's own fixtures and torn down last, it covers exactly the test."""
    anchors = request.config.stash[_KEY]
    anchors.start_test()
    with anchors.rollback_scope() as go_back:
        yield
        go_back()
    if _GAS in request.config.stash:
        request.config.stash[_GAS].end()


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> object:
    if fixturedef.scope == "function":
        return (yield)
    with request.config.stash[_KEY].persistent_fixture_scope(fixturedef.argname):
        result = yield
    if _GAS in request.config.stash:
        request.config.stash[_GAS].end_fixture()
    return result


# Hypothesis


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> object:
    owner, name = _examples(item)
    if owner is None:
        return (yield)
    anchors = item.config.stash[_KEY]
    _allow_chains(item, anchors)
    with anchors.rollback_scope() as go_back, pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, _after(go_back, getattr(owner, name)))
        return (yield)


def _examples(item: pytest.Item) -> tuple[object, str]:
    """Return the owner and the name of the function that runs once per example.

    It is the body of a `@given` test, or the `__init__` of a state machine.
    """
    test: object = getattr(item, "obj", None)
    if hasattr(test, "hypothesis"):
        return test.hypothesis, "inner_test"
    return getattr(test, "_hypothesis_state_machine_class", None), "__init__"


def _after(go_back: Callable[[], None], run: Callable[..., object]) -> Callable[..., object]:
    """Return `run`, preceded by `go_back`.

    Going back before each example, and not after it, keeps the last one, which failed, for the report.
    """

    @wraps(run)
    def example(*args: object, **named: object) -> object:
        go_back()
        return run(*args, **named)

    return example


def _allow_chains(item: pytest.Item, anchors: ChainIsolation) -> None:
    """Allow fixtures that are chains in a Hypothesis test.

    Hypothesis refuses a test's own fixtures because they are not made again for each example. A chain is reverted instead.
    """
    test: Any = getattr(item, "obj", None)
    test = getattr(test, "__func__", test)
    settings, own = getattr(test, "_hypothesis_internal_use_settings", None), [*_own_fixtures(item)]
    if settings is None or not own or not all(map(anchors.is_registered, own)):
        return
    allowed = sys.modules["hypothesis"].HealthCheck.function_scoped_fixture
    suppressed = {*settings.suppress_health_check, allowed}
    test._hypothesis_internal_use_settings = type(settings)(
        parent=settings, suppress_health_check=suppressed
    )


def _own_fixtures(item: Any) -> Iterator[object]:
    """Yield the values of the fixtures that were created for this test and are among its arguments."""
    for name in inspect.signature(item.function).parameters:
        definitions = item._fixtureinfo.name2fixturedefs.get(name)
        if definitions and definitions[-1].scope == "function":
            yield item.funcargs[name]


# Reports


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[object]) -> Any:
    isolation = item.config.stash[_KEY]
    chains = [*isolation.began.items()]  # only the traceback, before it is shortened, may hold them
    report: pytest.TestReport = yield
    if report.failed and call.when != "teardown":
        report.sections += isolation.activity_sections()
        if any(len(chain.receipts) > began for chain, began in chains):
            pictures = import_module("chain.plugins.pytest_plugin.board_pictures")
            report.sections += pictures.sections(item, isolation.began)
    return report


# Gas


def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    if _GAS not in config.stash:
        return
    gas, worker_output = config.stash[_GAS], getattr(config, "workeroutput", None)
    if worker_output is not None:  # one of several processes: the main one reports
        used = {tuple(row): amounts for row, amounts in gas.used.items()}
        worker_output["boardchain_gas"] = used, sorted(gas.tests)
    elif config.option.gas_snapshot:
        path = config.invocation_params.dir / config.option.gas_snapshot
        gas.differences = import_module(
            "chain.plugins.pytest_plugin.gas_report"
        ).compare_with_snapshot(path, gas)
        if gas.differences and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    if _GAS in node.config.stash:
        output = getattr(node, "workeroutput", {})
        node.config.stash[_GAS].add(*output.get("boardchain_gas", ({}, ())))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if _GAS not in config.stash:
        return
    gas, reporter = config.stash[_GAS], terminalreporter
    texts = import_module("chain.plugins.pytest_plugin.gas_report")
    if config.option.gas_report:
        reporter.section("gas")
        for line in texts.table(gas.lines()):
            reporter.write_line(line)
    if config.option.gas_by_test:
        reporter.section("gas by test")
        for line in texts.test_table(gas.test_lines()):
            reporter.write_line(line)
    if gas.differences:
        reporter.section(f"gas differs from {config.option.gas_snapshot}", red=True)
        for line in gas.differences:
            reporter.write_line(line)
        reporter.write_line("if this is intended, delete the file and run all tests again")
