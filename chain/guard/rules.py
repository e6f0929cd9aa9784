"""The rules of the guard, one row each: the name, what is wrong, why, and what to write instead.

To add a rule, write its row, report it from the visitor with the words in its braces, and put a snippet that breaks it into the
tests. A module or function of Python that no contract should use needs only a word in `_REFUSED`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chain.guard.allowlist import MODULES
from chain.guard.finding import Rule
from chain.source.own_modules import is_own

_ROUNDED: Final = "floats are rounded, and the rules of a game must be exact"

_ROWS: Final = (
    Rule(
        "not_python",
        "this cannot be read: {text}",
        "it cannot be checked either",
        "correct it, or write it in smaller parts",
    ),
    # Names
    Rule(
        "clock",
        "'{name}' reads the machine's clock",
        "every machine has its own",
        "use self.block.timestamp, or take the time as an argument",
    ),
    Rule(
        "dates",
        "'{name}' is for dates, clocks and time zones of a machine",
        "the time of a chain is a number of seconds, the same everywhere",
        "use self.block.timestamp, and write a period in seconds: 3 * 86_400",
    ),
    Rule(
        "chance",
        "'{name}' brings in outside randomness",
        "the result could not be replayed",
        "use self.random, or take the random value as an argument",
    ),
    Rule(
        "threads",
        "'{name}' is for concurrent code",
        "the machine decides the order",
        "run one step after the other",
    ),
    Rule(
        "outside",
        "'{name}' reaches outside the chain",
        "the outside differs from machine to machine",
        "take what you need as an argument, or keep it in storage",
    ),
    Rule(
        "files",
        "'{name}' is for files",
        "the content of a file is not part of the chain",
        "read the data files of the package at the top of a module, or take the text as an argument",
    ),
    Rule(
        "own_file",
        "'__file__' is the path of the module on this machine",
        "it differs on other machines",
        "read the package's data at the top of a module",
    ),
    Rule(
        "reflection",
        "'{name}' shows the inside of Python",
        "that differs between versions and runs",
        "refer to things by name, or choose with a dict or a match statement",
    ),
    Rule(
        "dynamic",
        "'{name}' runs code that the source does not show",
        "such code cannot be checked",
        "write it out as a function, or import it at the top of the module",
    ),
    Rule(
        "by_name",
        "'{name}' takes names as data",
        "the source does not show which name is meant",
        "write x.name, or choose among values with a dict or a match statement",
    ),
    Rule(
        "rounded",
        "'{name}' is for numbers that are rounded",
        "the rules of a game must be exact",
        "use whole numbers with '//', '%' and math.isqrt, or fractions.Fraction",
    ),
    Rule(
        "cache",
        "'{name}' keeps results",
        "what lives on after a call then remembers what was computed in it, and the next call needs fewer ticks",
        "compute it once at the top of the module, keep it in storage, or compute it each time",
    ),
    Rule(
        "machine",
        "'{name}' is not for contracts",
        "it is made for scripts and tests, or for the chain itself",
        "use the members of self: self.at, self.deploy, self.block, self.emit, self.random",
    ),
    Rule(
        "hash",
        "'hash' returns a different number for the same text in every run",
        "Python salts it",
        "compare the values themselves, or use self.keccak of their bytes",
    ),
    Rule(
        "id",
        "'id' is an address in this machine's memory",
        "it is different in every run",
        "compare with 'is' or '==', or number the objects yourself",
    ),
    Rule(
        "debug",
        "'{name}' is for a person at the terminal of this machine",
        "it is not part of the chain",
        "use self.log(text), or emit an event, or debug on a Chain(debug=True) or with pytest --contract-debug",
    ),
    Rule(
        "wide_error",
        "'{name}' is not an error that a contract should name",
        "it is for conditions of one machine, such as a lack of memory, or for being stopped",
        "use Revert, or a specific error: ValueError, KeyError …",
    ),
    Rule(
        "unlisted",
        "'{name}' is not on the list of what a contract may use",
        "that list holds only what is known to do the same everywhere",
        "{instead}",
    ),
    Rule(
        "late_import",
        "an import inside a function",
        "the chain prepares what the top of a module imports, and would miss this",
        "import it at the top of the module, and if two modules import each other, write 'import package.module' there",
    ),
    # Numbers
    Rule(
        "float",
        "{text} is of type {kind}",
        _ROUNDED,
        "count in whole numbers of a smaller unit",
    ),
    Rule(
        "float_type",
        "'{name}' is not a type for a contract",
        _ROUNDED,
        "use int, and None for 'no limit'",
    ),
    Rule(
        "division",
        "'{sign}' makes a float of whole numbers",
        _ROUNDED,
        "write '/{sign}' for a whole number, or Fraction(a, b) for an exact one",
    ),
    Rule(
        "float_format",
        "the format '{spec}' converts its number to a float",
        _ROUNDED,
        "write the parts of the number with divmod",
    ),
    Rule(
        "json_float",
        "json.loads makes every number with a decimal point a float",
        _ROUNDED,
        "pass parse_float=str and parse_constant=str, or a function that refuses",
    ),
    # What outlives a call
    Rule(
        "shared",
        "this changes '{name}', which outlives the call",
        "it is not part of the chain: a failed call would not undo it, and another machine would not have it",
        "keep it in a field of the contract, or pass it as an argument",
    ),
    Rule(
        "default",
        "'{text}' as a default is created once and then shared by all calls",
        "a change in one call affects the next",
        "write None and create it inside, or use a tuple",
    ),
    Rule(
        "set_order",
        "this depends on the order of a set while the module is imported",
        "that order differs from run to run",
        "write sorted({name}), or make it a tuple",
    ),
    # Errors
    Rule(
        "broad",
        "{text} catches nearly everything",
        "it would also catch the errors that stop only this machine: no stack, no memory, no gas",
        "name the error that you expect, such as Revert or KeyError",
    ),
    Rule(
        "finally",
        "'return' in a 'finally' discards any error",
        "that includes running out of gas, where every machine must stop",
        "put it after the try statement",
    ),
    Rule(
        "always_true",
        "this '{word}' always holds: {reason}",
        "it lets everything pass",
        "write a condition that can be false, and repeat the comparison after an 'or'",
    ),
    # Lines that do nothing, or not what they seem to
    Rule(
        "made_and_dropped",
        "this {name} is created and dropped",
        "it is neither emitted nor raised",
        "write self.emit({name}(…)) for an event, raise {name}(…) for an error",
    ),
    Rule(
        "compared_and_dropped",
        "the result of this comparison is dropped",
        "it refuses nothing and sets nothing",
        "write one '=' to assign, or require(condition, text)",
    ),
    Rule(
        "uncalled",
        "'{name}' is not called",
        "naming a method does not run it",
        "write {name}()",
    ),
    Rule(
        "unentered",
        "'{name}' is not entered",
        "it opens and writes nothing",
        "write with {name}(…) as model:",
    ),
    Rule(
        "is_value",
        "'is' compares the memory addresses of two values",
        "equal ones may have the same address or not, depending on the Python",
        "compare them with '=='",
    ),
    # Python of another kind
    Rule(
        "metaclass",
        "{text} lets another class change this one",
        "the source then no longer shows what a line does",
        "write the class out, or a function for the parts that differ",
    ),
    Rule(
        "async",
        "'async' waits for other code",
        "the chain does not decide which code runs then",
        "write 'def': a call runs to its end without waiting",
    ),
)
RULES: Final[Mapping[str, Rule]] = MappingProxyType({rule.name: rule for rule in _ROWS})

# The rules against well-known names that are not on the allowlists. A module stands for all that is in it.
_REFUSED: Final = {
    name: rule
    for rule, names in {
        "clock": "time sched timeit",
        "dates": "calendar datetime zoneinfo",
        "chance": "random secrets uuid",
        "threads": "_thread asyncio concurrent contextvars multiprocessing queue select selectors signal threading",
        "outside": """
            atexit getpass http httpx locale logging os platform requests resource smtplib socket sqlite3 ssl subprocess sys
            sysconfig syslog urllib warnings web3
            """,
        "files": """
            builtins.open csv dbm fileinput glob importlib.resources io json.dump json.load mmap pathlib shelve shutil tarfile
            tempfile zipfile
            """,
        "reflection": "ast ctypes dis gc inspect sys.modules traceback tracemalloc typing.get_type_hints weakref",
        "dynamic": "builtins.__import__ builtins.compile builtins.eval builtins.exec code importlib runpy",
        "by_name": """
            builtins.delattr builtins.dir builtins.getattr builtins.globals builtins.hasattr builtins.locals builtins.setattr
            builtins.vars
            """,
        "rounded": "cmath colorsys decimal math operator.itruediv operator.truediv statistics",
        "cache": "cachetools functools.cache functools.cached_property functools.lru_cache linecache",
        "machine": "chain",
        "hash": "builtins.hash",
        "id": "builtins.id",
        "debug": "builtins.breakpoint builtins.exit builtins.help builtins.input builtins.print builtins.quit pdb",
        "float_type": "builtins.complex builtins.float",
        "unlisted": "numpy pandas scipy",
    }.items()
    for name in names.split()
}


def refusal_of(path: str) -> str | None:
    """Return the rule against what a path stands for: None if a contract may use it."""
    home, _, name = path.rpartition(".")
    listed = MODULES.get(home, frozenset())
    if path in MODULES or listed is None or name in listed:
        return None
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        if rule := _REFUSED.get(".".join(parts[:end])):
            return rule
    if home == "builtins" and name.endswith(("Error", "Exception", "Exit", "Group", "Interrupt")):
        return "wide_error"
    return None if is_own(parts[0]) else "unlisted"
