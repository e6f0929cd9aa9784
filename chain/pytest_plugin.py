"""The pytest plugin: the fixtures `chain`, `accounts`, `alice`, `bob`, `carol`, `deploy`, and an anchor around every test.

Whatever fixture a chain comes from, when a test is over the chain is taken back to where it was when the test began, and
before each Hypothesis example to where it was when the first one began. What fixtures of a wider scope do is there to stay.
A test that fails shows the transcript of its transactions. Nothing of the engine is imported until a fixture is used.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import pytest

from chain import births
from chain.anchors import Anchors

if TYPE_CHECKING:
    from chain.accounts import Account
    from chain.handle import Handle
    from chain.simulator import Chain

# Fixtures


@pytest.fixture
def chain() -> Chain:
    """A fresh chain in memory."""
    made: Chain = import_module("chain.simulator").Chain()
    return made


@pytest.fixture
def deploy(chain: Chain) -> Callable[..., Handle]:
    """`deploy(Contract, *args)` on the test's chain."""
    return chain.deploy


@pytest.fixture(scope="session")
def accounts() -> list[Account]:
    """The ten funded accounts that every chain has."""
    return list(import_module("chain.accounts").ACCOUNTS)


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

_KEY: Final = pytest.StashKey[Anchors]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("boardchain").addoption(
        "--double-run",
        action="store_true",
        help="run the tests again under four other hash seeds, and compare what they leave on their chains",
    )


def pytest_configure(config: pytest.Config) -> None:
    anchors = config.stash[_KEY] = Anchors()
    births.witnesses.append(anchors.born)
    if config.getoption("double_run", default=False):
        config.pluginmanager.register(import_module("chain.double_run").DoubleRun(config, anchors))


def pytest_unconfigure(config: pytest.Config) -> None:
    births.witnesses.remove(config.stash[_KEY].born)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.config.stash[_KEY].begin()


@pytest.fixture(autouse=True)
def _boardchain_anchor(request: pytest.FixtureRequest) -> Iterator[None]:
    """First of a test's own fixtures and last to go, so all of the test lies in it and nothing else."""
    anchors = request.config.stash[_KEY]
    anchors.begin()
    with anchors.level() as go_back:
        yield
        go_back()


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Any:
    if fixturedef.scope == "function":
        return (yield)
    with request.config.stash[_KEY].wider(fixturedef.argname):
        return (yield)


# Hypothesis


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    owner, name = _examples(item)
    if owner is None:
        return (yield)
    anchors = item.config.stash[_KEY]
    _allow_chains(item, anchors)
    with anchors.level() as go_back, pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, _after(go_back, getattr(owner, name)))
        return (yield)


def _examples(item: pytest.Item) -> tuple[Any, str]:
    """What runs once for each example: the body of a `@given` test, or the making of a state machine."""
    test: Any = getattr(item, "obj", None)
    if hasattr(test, "hypothesis"):
        return test.hypothesis, "inner_test"
    return getattr(test, "_hypothesis_state_machine_class", None), "__init__"


def _after(go_back: Callable[[], None], run: Callable[..., Any]) -> Callable[..., Any]:
    """To go back before each example, and not after it, leaves the last one, which failed, to be reported."""

    @wraps(run)
    def example(*args: Any, **named: Any) -> Any:
        go_back()
        return run(*args, **named)

    return example


def _allow_chains(item: pytest.Item, anchors: Anchors) -> None:
    """Hypothesis refuses a test's own fixtures, as they are not made anew for each example. A chain need not be."""
    test: Any = getattr(item, "obj", None)
    test = getattr(test, "__func__", test)
    settings, own = getattr(test, "_hypothesis_internal_use_settings", None), [*_own_fixtures(item)]
    if settings is None or not own or not all(map(anchors.hold, own)):
        return
    allowed = sys.modules["hypothesis"].HealthCheck.function_scoped_fixture
    suppressed = {*settings.suppress_health_check, allowed}
    test._hypothesis_internal_use_settings = type(settings)(
        parent=settings, suppress_health_check=suppressed
    )


def _own_fixtures(item: Any) -> Iterator[Any]:
    """The values of the fixtures that were made for this test and are among its arguments."""
    for name in inspect.signature(item.function).parameters:
        found = item._fixtureinfo.name2fixturedefs.get(name)
        if found and found[-1].scope == "function":
            yield item.funcargs[name]


# Reports


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
    report: pytest.TestReport = yield
    if report.failed and call.when != "teardown":
        report.sections += item.config.stash[_KEY].transcripts()
    return report
