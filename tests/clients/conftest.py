"""What the tests of clients share."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest


@contextmanager
def running(*options: str) -> Iterator[str]:
    """`boardchain node` in a process of its own; gives its URL."""
    options = ("--port", "0", "--quiet", "--clock", "blocks", *options)
    command = [sys.executable, "-m", "chain", "node", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://{process.stdout.readline().split()[-1]}"
        finally:
            process.terminate()
        assert process.wait(timeout=10) == 0


@pytest.fixture(scope="module")
def start_node() -> Iterator[Callable[..., str]]:
    """Starts nodes that end with the module: `start_node("--chain-id", "5")` gives a URL."""
    with ExitStack() as stack:
        yield lambda *options: stack.enter_context(running(*options))


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    """The event loop of a test that is a coroutine, for its fixtures too."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine, in the loop of its `runner`."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    runner = pyfuncitem.funcargs["runner"]
    assert isinstance(runner, asyncio.Runner)
    test = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    # web3.py waits for ever where a timeout of its own cancels a request over a WebSocket; then the test fails.
    runner.run(asyncio.wait_for(test, 60))
    return True
