"""Contract values as plain JSON, and the input that all `chain_…` methods share: accounts by name, ranges, limits.

Integers of every type follow one rule: below 2**53, which every JSON reader holds exactly, they are numbers; from there on
they are decimal digits as text. `BigInt(x)` of JavaScript and `int(x)` of Python read both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final, TypeVar

from chain.ledger.comparisons import COMPARISONS
from chain.ledger.decoded.json_objects import JsonObjects
from chain.ledger.logs import Decoding
from chain.ledger.queries import Query
from chain.ledger.sql.json_values import JsonStyle
from chain.rpc.block_tags import block_number_of
from chain.rpc.errors import bad_params
from chain.rpc.hex_values import to_int
from chain.rpc.node import Node
from chain.simulator.chain import Chain
from chain.types import Address

T = TypeVar("T")
_SAFE: Final = 2**53 - 1  # whole numbers up to this one are exact in every language
_MOST: Final = 10_000  # matches in one answer
_USUAL: Final = 100


_STYLE: Final = JsonStyle(-_SAFE, _SAFE)
plain: Final = _STYLE.show
plain_members: Final = _STYLE.members


def json_of(ledger: Decoding) -> JsonObjects:
    """Return what makes JSON of receipts, events and their parts."""
    return JsonObjects(ledger, _STYLE)


@contextmanager
def client_errors() -> Iterator[None]:
    """Raise errors in client input as bad parameters, with their own messages."""
    try:
        yield
    except (TypeError, ValueError, LookupError) as error:
        raise bad_params(str(error.args[0]) if error.args else str(error)) from None


def find_account(chain: Chain, name: Any, what: str) -> Address:
    """Return the address of an account or a contract, given by address or name."""
    with client_errors():
        return chain.address_of(name, what)


def address_resolver(chain: Chain) -> Callable[[str], Address]:
    """Return a function that resolves addresses in client values, where names are allowed too."""

    def find(name: str) -> Address:
        return chain.address_of(name, "it")

    return find


def narrowed(chain: Chain, query: Query[T], filter: Mapping[str, object]) -> Query[T]:
    """Limit a query to the blocks from `fromBlock` to `toBlock`, the times from `since` to `until`, and what concerns an
    `account`."""
    first, last = (
        None if filter.get(name) is None else block_number_of(chain, filter[name])
        for name in ("fromBlock", "toBlock")
    )
    since, until = (
        None if filter.get(name) is None else to_int(filter[name], f"'{name}'")
        for name in ("since", "until")
    )
    query = query.between(blocks=(first, last), times=(since, until))
    return query if filter.get("account") is None else query.concerning(filter["account"])


def compared(value: object, read: Callable[[Any], Any] = lambda value: value) -> Any:
    """Return a value of a filter, or a comparison, which is an object with its name: `{"at_least": 5}`."""
    match value:
        case Mapping() if len(value) == 1 and {*value} <= {*COMPARISONS}:
            [(name, inner)] = value.items()
            values = inner if name == "one_of" and isinstance(inner, list | tuple) else [inner]
            return COMPARISONS[name](*(values if name == "containing" else map(read, values)))
    return read(value)


def answers(query: Query[T], filter: Mapping[str, object]) -> Iterator[tuple[Sequence[Any], T]]:
    """Return the first matches and their rows; with `backwards`, or `before` a position, the last ones, newest first."""
    limit = to_int(filter.get("limit", _USUAL), "'limit'")
    if limit > _MOST:
        raise bad_params(f"'limit' is {limit}; at most {_MOST} are returned at a time")
    before = filter.get("before")
    end = None if before is None else to_int(before, "'before'")
    return islice(query.found(bool(filter.get("backwards")) or end is not None, end), limit)


def require_known_fields(filter: object, names: tuple[str, ...], what: str) -> Mapping[str, object]:
    """Check that an object has only these fields: a filter with a misspelt field would match too much."""
    filter = {} if filter is None else filter
    if not isinstance(filter, Mapping):
        raise bad_params(f"{what} is {filter!r}; it must be an object")
    unknown = [name for name in filter if name not in names]
    if unknown:
        raise bad_params(f"{what} has no {', '.join(map(str, unknown))}; it has {', '.join(names)}")
    return filter


def contract_at(node: Node, name: object, what: str = "the contract") -> tuple[Address, Any]:
    """Return the address and the program of a Python contract."""
    address = find_account(node.chain, name, what)
    program = node.chain.ledger.program_at(address)
    if program is None:
        raise bad_params(f"there is no Python contract at {address}")
    return address, program
