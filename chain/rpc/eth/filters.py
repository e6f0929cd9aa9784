"""Methods about logs and filters."""

from __future__ import annotations

from collections.abc import Mapping

from chain.ledger.log_list import LogPlace
from chain.rpc.block_tags import LATEST, PENDING, block_number_of, require_block
from chain.rpc.errors import bad_params, refused
from chain.rpc.filter_types import BlockFilter, Filter, LogFilter, PendingFilter, find_places
from chain.rpc.hex_values import quantity, to_int, to_object
from chain.rpc.json_format import Json, log_jsons
from chain.rpc.log_criteria import parse_criteria
from chain.rpc.node import JsonText, Node
from chain.simulator.chain import Chain


def get_logs(node: Node, criteria: object) -> list[Json]:
    """Return the logs of a range of blocks, or of one block given by its hash."""
    return log_jsons(node.chain.ledger, _find_logs(node, criteria))


def get_logs_text(node: Node, criteria: object) -> JsonText:
    """Return what `get_logs` returns, as text."""
    return JsonText(node.log_texts.array(_find_logs(node, criteria)))


def _find_logs(node: Node, criteria: object) -> list[LogPlace]:
    """Return the places of the logs that a client asks for, all in closed blocks."""
    criteria = to_object(criteria, "the filter")
    chain, log_criteria = node.chain, parse_criteria(criteria)
    if criteria.get("blockHash") is None:
        start, end = _range(chain, criteria)
    else:
        if criteria.keys() & {"fromBlock", "toBlock"}:
            raise bad_params("use 'blockHash', or 'fromBlock' and 'toBlock', not both")
        start = end = require_block(chain, criteria["blockHash"]).number
    end = min(end, chain.head.number)
    node.limits.check("log_range", end + 1 - start, "blocks")
    return find_places(chain.ledger, log_criteria, start, end + 1, node.limits)


def _range(chain: Chain, criteria: Mapping[str, object]) -> tuple[int, int]:
    """Return the first and the last block; by default the newest. A range that starts in future blocks is allowed."""
    start, end = (block_number_of(chain, criteria.get(name)) for name in ("fromBlock", "toBlock"))
    if start > end and (start <= chain.head.number or not _is_open(criteria.get("toBlock"))):
        raise bad_params(f"the range runs backwards: from block {start} to block {end}")
    return start, end


def _is_open(block: object) -> bool:
    """Return True if this end of a range moves with the chain."""
    return block in (None, LATEST, PENDING)


def new_log_filter(node: Node, criteria: object) -> str:
    """Create a filter for logs, and return its id."""
    chain, criteria = node.chain, to_object(criteria, "the filter")
    start, end = _range(chain, criteria)
    first = None if _is_open(criteria.get("fromBlock")) else start
    last = None if _is_open(criteria.get("toBlock")) else end
    return _install(
        node, LogFilter(chain.ledger, parse_criteria(criteria), first, last, node.limits)
    )


def new_block_filter(node: Node) -> str:
    """Create a filter for the hashes of new blocks, and return its id."""
    return _install(node, BlockFilter(node.chain.ledger))


def new_pending_filter(node: Node) -> str:
    """Create a filter for the hashes of new transactions, and return its id."""
    return _install(node, PendingFilter(node.chain.ledger))


def get_changes(node: Node, number: object) -> list[object]:
    """Return the news of a filter since the last call."""
    return _find(node, number).poll()


def get_filter_logs(node: Node, number: object) -> list[object]:
    """Return all logs that match a filter."""
    return _find(node, number).all_matches()


def uninstall(node: Node, number: object) -> bool:
    """Remove a filter. Return True if there was one."""
    return node.filters.pop(to_int(number, "the filter"), None) is not None


def _install(node: Node, made: Filter) -> str:
    number = next(node.numbers)
    node.filters[number] = made
    if len(node.filters) > node.limits.filters:
        del node.filters[next(iter(node.filters))]
    return quantity(number)


def _find(node: Node, number: object) -> Filter:
    """Return the filter of this number, and mark it as the most recently used."""
    filter_id = to_int(number, "the filter")
    active_filter = node.filters.pop(filter_id, None)
    if active_filter is None:
        raise refused(f"filter not found: there is no {number}")
    node.filters[filter_id] = active_filter
    return active_filter
