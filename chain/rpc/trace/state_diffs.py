"""The changes of a transaction, in Parity's format: `=` unchanged, `+` new, `-` removed, `*` changed."""

from __future__ import annotations

from typing import Any

from chain.ledger.decoded.writes import words_in
from chain.machine.state import ACCOUNT, NO_ACCOUNT, Account, State, iter_changes
from chain.rpc.debug.tracers import TracedRun
from chain.rpc.hex_values import data, quantity, word
from chain.rpc.json_format import Json


def state_diff(run: TracedRun) -> Json:
    """Return the accounts that the transaction changed, each with its fields and words."""
    accounts, words = dict[bytes, list[Account]](), dict[bytes, dict[int, list[int]]]()
    for address, slot, before, after in iter_changes(run.outcome.changes):
        if slot is ACCOUNT:
            ends = accounts.setdefault(address, [before or NO_ACCOUNT, NO_ACCOUNT])
            ends[1] = after or NO_ACCOUNT
    for address, slot, old, new in words_in(run.outcome.changes):
        words.setdefault(address, {}).setdefault(slot, [old, new])[1] = new
    state, diff = run.machine.state, Json()
    for address in sorted({*accounts, *words}):
        before, after = accounts.get(address) or [state.account(address)] * 2
        changed = {
            slot: pair for slot, pair in words.get(address, {}).items() if pair[0] != pair[1]
        }
        if before != after or changed:
            diff[data(address)] = _account(state, before, after, changed)
    return diff


def _account(state: State, before: Account, after: Account, words: dict[int, list[int]]) -> Json:
    is_new, is_gone = before == NO_ACCOUNT, after == NO_ACCOUNT
    old, new = _fields(state, before), _fields(state, after)

    def change(from_: str, to: str) -> Any:
        if is_new and not is_gone:
            return {"+": to}
        if is_gone and not is_new:
            return {"-": from_}
        return "=" if from_ == to else {"*": {"from": from_, "to": to}}

    storage = {word(slot): change(word(a), word(b)) for slot, (a, b) in sorted(words.items())}
    return {**{name: change(old[name], new[name]) for name in old}, "storage": storage}


def _fields(state: State, account: Account) -> dict[str, str]:
    nonce, balance, code_hash = account
    return {
        "balance": quantity(balance),
        "nonce": quantity(nonce),
        "code": data(state.codes[code_hash]),
    }
