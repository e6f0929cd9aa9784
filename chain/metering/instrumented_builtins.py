"""All names that an instrumented copy finds in its builtins, the checks and substitutes that rewriting writes into it too.

Whoever runs copies imports the names from here, and so has them all. The modules that rewrite are imported when a source is
rewritten: nearly always, the rewritten code is in the cache.
"""

from __future__ import annotations

from typing import Any, Final

import chain.metering.import_substitutes
import chain.metering.runtime_names  # noqa: F401  # they add their names
from chain.metering.frozen_collections import settable, taken
from chain.metering.fuel import INSTRUMENTED_BUILTINS
from chain.metering.ordered_sets import SETS, ordered_set_of, view, viewing
from chain.metering.stable_hash import hashing
from chain.metering.stable_text import args_of, picturable, telling, with_stable_repr

__all__ = ["INSTRUMENTED_BUILTINS"]

SETTABLE, TAKEN = "__settable__", "__taken__"
MADE, VIEW, VIEWING = "__set_of__", "__view__", "__viewing__"
TOLD, PICTURED, ARGS = "__told__", "__picturable__", "__args_of__"
HASHING, TELLING = "__hashing__", "__telling__"
# Whether debug statements run, and the scope in which they change nothing.
IS_DEBUGGED, LOOKING = "__is_debugged__", "__looking__"

_NAMES: Final[dict[str, Any]] = {
    SETTABLE: settable,
    TAKEN: taken,
    MADE: ordered_set_of,
    VIEW: view,
    VIEWING: viewing,
    **SETS,
    "__bare_set__": set,
    "__bare_frozenset__": frozenset,
    TOLD: with_stable_repr,
    PICTURED: picturable,
    ARGS: args_of,
    HASHING: hashing,
    TELLING: telling,
    IS_DEBUGGED: bool,  # no chain is debugged yet
}
INSTRUMENTED_BUILTINS.update(_NAMES)
