"""The ledger in the contracts' own terms: fields, models, traces, names of addresses. Begin with `writes` and `trace`.

What few calls ask for is imported when it is first used, as `decoded.trace_of`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chain.foundation.late_imports import late_names

if TYPE_CHECKING:
    from chain.ledger.decoded.activity import activity_of
    from chain.ledger.decoded.build_trace import trace_of
    from chain.ledger.decoded.versions import History, Version
    from chain.ledger.decoded.worlds import StoredWorld, worlds_of

_HOMES: Final = {
    "activity": ("activity_of",),
    "build_trace": ("trace_of",),
    "versions": ("History", "Version"),
    "worlds": ("StoredWorld", "worlds_of"),
}

__getattr__ = late_names(__name__, _HOMES)

__all__ = [
    "History",
    "StoredWorld",
    "Version",
    "activity_of",
    "trace_of",
    "worlds_of",
]
