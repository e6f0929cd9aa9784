"""The failure of a message whose contract raised an exception: a refusal, a bug, or running out of gas."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable

from chain.abi import BadData, ValueMismatch
from chain.abi.formatting import outside_text
from chain.abi.texts import revert_data, revert_text
from chain.errors import FatalHalt, Revert
from chain.machine.dispatch import RejectedCall
from chain.machine.failure import Failure
from chain.machine.frame import Frame
from chain.machine.unknown_names import explain
from chain.source.failure_line import hide_machine, innermost_author_line, is_of_python


def failure_from_exception(frame: Frame, problem: BaseException) -> Failure:
    """Return the failure that describes the exception raised in a Python contract's message."""
    if isinstance(problem, AssertionError) and problem.args and is_own(problem):
        problem = Revert(_safe_text(str, problem)).with_traceback(problem.__traceback__)
    if isinstance(problem, Revert):
        return _refusal(problem, frame.line_of(problem), _result_of(frame, problem))
    if isinstance(problem, FatalHalt):
        frame.gas = 0
        line = innermost_author_line((problem.__cause__ or problem).__traceback__) or (None, None)
        return Failure("out of gas", f"{frame.name} ran out of gas", b"", None, *line)
    return _exception(frame, problem)


def _result_of(frame: Frame, problem: Revert) -> tuple[str, int] | None:
    """Return file and first line of the entry, if its result was refused after its code had ended."""
    if not isinstance(problem, ValueMismatch) or frame.entry is None:
        return None
    code = inspect.unwrap(frame.entry.function).__code__
    return code.co_filename, code.co_firstlineno


def _refusal(no: Revert, taken: tuple[str, int] | None, result: tuple[str, int] | None) -> Failure:
    """Return the failure for a revert; `taken` is its line, or else the traceback has it, or else `result` is it."""
    line = taken or innermost_author_line(no.__traceback__) or result or (None, None)
    no.__traceback__ = None
    spec, cause = type(no).__error__, no
    if spec is not None:
        try:
            return Failure("error", _safe_text(outside_text, no), spec.encode(no), cause, *line)
        except ValueMismatch as mismatch:  # a field of the error does not fit its type
            no = cause = mismatch
    failure_kind = "refused" if isinstance(no, RejectedCall | BadData) else "revert"
    text = _safe_text(str, no.text)
    data = revert_data(text) if no.data is None else no.data
    return Failure(failure_kind, text or revert_text(data), data, cause, *line)


def _exception(frame: Frame, bug: BaseException) -> Failure:
    """Return the failure for an exception that is not a declared refusal: a bug in the contract."""
    line = frame.line_of(bug) or innermost_author_line(bug.__traceback__) or (None, None)
    explanation = explain(bug, frame.program.spec.name) if frame.program else None
    name = type(bug).__name__
    text = f"{name}: {explanation or _safe_text(str, bug)}"
    # A contract may read the data, so Python's own messages, which change between versions, are left out of it.
    data = revert_data(text if is_own(bug) else name)
    hide_machine(bug)
    return Failure("exception", text, data, bug, *line)


def _safe_text(how: Callable[[object], str], what: object) -> str:
    """Return `how(what)` as text that can be encoded, even if the author's code fails or returns surrogates."""
    try:
        return how(what).encode("utf-8", "replace").decode()
    except MemoryError:
        raise
    except Exception:
        return "its message cannot be read"


def is_own(error: BaseException) -> bool:
    """True if the message of an error was written by an author, and not by Python: the instruction that raised it decides."""
    traceback = error.__traceback__
    if isinstance(error, Revert) or traceback is None:
        return True
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    if code.co_filename.startswith("<") or is_of_python(code.co_filename):
        return False
    return dis.opname[code.co_code[traceback.tb_lasti]] == "RAISE_VARARGS"
