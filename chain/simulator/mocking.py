"""Mocked entries: during a scope an entry of one contract has a given result, and its code does not run.

An entry is mocked where it runs, on the instrumented copy of its contract, which first asks the machine of its message for a
mock. So callers, receipts and traces see an ordinary call, and the accounts keep their code.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from chain import abi
from chain.errors import Revert
from chain.foundation.atomic_steps import Entered
from chain.foundation.dataclass import dataclass
from chain.machine.frame import Frame
from chain.simulator.handle import Entry
from chain.spec.contracts import EntrySpec
from chain.values import short_repr

if TYPE_CHECKING:
    from chain.simulator.chain import Chain

_ASKS: Final = "__asks_for_mocks__"


@dataclass(frozen=True, slots=True)
class Mock:
    """The result of the calls to an entry of one contract."""

    address: bytes
    data: bytes  # the beginning of the calldata: the selector, perhaps with the arguments
    output: bytes
    error: Revert | None
    scope: ref[Entered] | None = None  # the mock is in force as long as this scope is open

    def answers(self, frame: Frame) -> bool:
        scope = None if self.scope is None else self.scope()
        is_open = scope is not None and not scope.is_over
        return is_open and frame.address == self.address and frame.data.startswith(self.data)


def mock_of(
    chain: Chain, entry: Entry, args: tuple[object, ...], named: dict[str, object], returns: object,
    reverts: str | Revert | None,
) -> Mock:  # fmt: skip
    """Return the mock of an entry, for calls with these arguments or, if there are none, for all."""
    if not isinstance(entry, Entry):
        raise TypeError(
            f"{short_repr(entry)} is not an entry: pass one of a handle, as in game.roll"
        )
    if entry._chain is not chain:
        raise TypeError(f"{entry!r} is of another chain: pass one of a handle of this chain")
    if chain.driver.is_copy or chain.driver.observer is not None:
        raise TypeError(
            "entries can only be mocked on a chain in memory, such as chain.fork(): a file or a node "
            "keeps the results of the contracts themselves"
        )
    spec, error = entry.spec, None
    if reverts is not None:
        if returns is not None or not isinstance(reverts, str | Revert):
            raise TypeError("a mock has either a result, returns=…, or a text or error, reverts=…")
        error = Revert(reverts) if isinstance(reverts, str) else reverts
    data = entry._calldata(args, named) if args or named else spec.selector
    try:
        output = b"" if error is not None else spec.encode_result(returns)
    except abi.ValueMismatch as mismatch:
        raise TypeError(f"returns: {mismatch.text}") from None
    _have_asked(chain, entry)
    return Mock(bytes(entry._address), data, output, error)


def _have_asked(chain: Chain, entry: Entry) -> None:
    """Make the entry's instrumented copy ask for mocks before it runs."""
    chain.need_contract(entry._address, entry.spec.contract)
    program = chain.machine.program_at(entry._address)
    by_selector = {} if program is None else program.spec.by_selector
    spec = by_selector.get(entry.spec.selector)
    if spec is None:
        raise TypeError(
            f"the contract at {entry._address} no longer has the entry {entry.spec.signature}"
        )
    if not hasattr(spec.function, _ASKS):
        by_selector[spec.selector] = _asking(spec)


def _asking(spec: EntrySpec) -> EntrySpec:
    @wraps(spec.function)
    def run(contract: Any, *args: Any) -> Any:
        frame = contract._frame
        mocks: tuple[Mock, ...] = frame.context.machine.mocks
        mock = next((mock for mock in reversed(mocks) if mock.answers(frame)), None)
        if mock is None:
            return spec.function(contract, *args)
        if mock.error is not None:
            raise copy(mock.error)
        return spec.decode_result(mock.output)

    setattr(run, _ASKS, True)
    return replace(spec, function=run, method="")


def with_mock(mocks: tuple[Mock, ...], mock: Mock, scope: ref[Entered]) -> tuple[Mock, ...]:
    """Return the mocks that are still in force, and a new one."""
    open_ones = (
        other
        for other in mocks
        if other.scope and (entered := other.scope()) and not entered.is_over
    )
    return (*open_ones, replace(mock, scope=scope))
