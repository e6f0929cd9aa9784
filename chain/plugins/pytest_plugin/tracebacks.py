"""Tracebacks of failing tests show the lines of the test and of the contracts, and nothing of the machine that runs them.

The steps of the chain and of pytest are taken out of the exception itself, so each `--tb` style and debugger shows the same.
The option `--full-trace` shows all.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from chain.source.failure_line import hide_machine

_MACHINE: Final = ("chain", "_pytest", "pluggy")


def pytest_runtest_makereport(call: pytest.CallInfo[object]) -> None:
    """Shorten the exception of a phase of a test; the report itself is made by pytest, afterwards."""
    if call.excinfo is not None:
        call.excinfo = _shortened(call.excinfo)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Any:
    """Make the report of a module that cannot be imported, which shows the exception already, again."""
    report: Any = yield
    if report.failed and not isinstance(report.call.excinfo.value, collector.CollectError):
        report.longrepr = collector.repr_failure(_shortened(report.call.excinfo))
    return report


def _shortened(info: pytest.ExceptionInfo[BaseException]) -> pytest.ExceptionInfo[BaseException]:
    hide_machine(info.value, _MACHINE)
    return pytest.ExceptionInfo.from_exception(info.value)
