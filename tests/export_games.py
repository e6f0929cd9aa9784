"""What is on the chains of four games, as data: `python tests/export_games.py OUT [memory|file|reopened|watch]`.

It runs in any checkout, by its public names only. So the receipts, events, tables, histories and states of two versions can be
compared, those of a chain in memory with those in a file, and these with what is read of them later: `… --compare A B`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import sys
import tempfile
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path.cwd()
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from chain import Chain  # noqa: E402  # of the checkout in which it runs

GAMES = ("deblockle", "blokus", "sagrada", "mage_duel")
FIELDS = (
    "position", "block_number", "index", "type", "sender", "to", "data", "value", "gas", "nonce", "max_fee", "tip",
    "access_list", "raw", "address", "output", "gas_used", "gas_price", "changes", "undone_changes", "forced_random", "ticks",
    "contract", "entry", "args", "return_value", "timestamp",
)  # fmt: skip


def plain(value: Any) -> Any:
    """Return a value as JSON."""
    match value:
        case bytes() | bytearray():
            return f"0x{value.hex()}"
        case Enum():
            return value.name
        case dict():
            return {str(plain(key)): plain(each) for key, each in value.items()}
        case list() | tuple():
            return [*map(plain, value)]
        case None | bool() | int() | float():
            return value
        case str():
            return value.replace(f"{ROOT}/", "")
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return [type(value).__name__, *(plain(getattr(value, field.name)) for field in fields)]
    return repr(value)


def failure(error: Any) -> Any:
    return error and plain([error.kind, error.text, error.data, str(error.file), error.line])


def receipts(chain: Chain) -> list[Any]:
    return [
        [
            *(plain(getattr(receipt, name)) for name in FIELDS),
            failure(receipt.error),
            plain([row[:3] for row in (*receipt.log_rows, *receipt.undone_log_rows)]),
            [
                plain([c.kind, c.address, c.caller, c.data, c.value, c.output])
                for c in receipt.calls
            ],
            [failure(call.error) for call in receipt.calls],
            [*map(str, receipt.writes)],
        ]
        for receipt in chain.receipts
    ]


def tables(chain: Chain) -> dict[str, Any]:
    found = {}
    for (name,) in chain.sql("select name from tables where name <> 'tables'"):
        rows = chain.sql(f'select * from "{name}"')
        found[str(name)] = [[*rows.columns], *map(list, rows)]
    return found


def histories(chain: Chain) -> list[Any]:
    """Return the history of every seventh field that was written."""
    places = {
        (write.address, write.name, write.keys): None
        for receipt in chain.receipts[::7]
        for write in receipt.writes
        if not write.is_model and not write.member
    }
    found = []
    for address, name, keys in places:
        with contextlib.suppress(Exception):  # a part of a collection
            versions = chain.history(chain.contract(address), name, *keys)
            found.append([name, plain(keys), [[plain(v.value), v.block_number] for v in versions]])
    return found


def played(game: str, mode: str) -> dict[str, Any]:
    path = Path(tempfile.mkdtemp()) / "game.chain"
    chain = Chain() if mode == "memory" else Chain.open(path)
    with contextlib.redirect_stdout(io.StringIO()):
        import_module(f"play_{game}").main(chain)
    if mode in ("reopened", "watch"):
        chain.close()
        chain = Chain.open(path) if mode == "reopened" else Chain.watch(path)
    past = [chain.at(number) for number in range(0, len(chain.blocks), 9)]
    told = {
        "receipts": receipts(chain),
        "events": plain(list(chain.events())),
        "logs": [[str(log), log.text] for receipt in chain.receipts for log in receipt.logs],
        "tables": tables(chain),
        "histories": histories(chain),
        "balances": [[then.balance(each) for each in chain.accounts] for then in past],
        "hashes": plain([chain.block_hash(number) for number in range(len(chain.blocks))]),
        "roots": plain([chain.state_root(number) for number in range(len(chain.blocks))]),
        "activity": chain.activity(),
    }
    chain.close()
    return told


def compare(one: Any, other: Any) -> int:
    """Print what differs, but for tables and columns that only the second has; return how much."""
    count = 0
    for game, told in one.items():
        for what, found in told.items():
            theirs = other[game][what]
            if what == "tables":
                for name, (columns, *rows) in found.items():
                    ours, *others = theirs.get(name, [[]])
                    places = [ours.index(column) for column in columns if column in ours]
                    if rows != [[row[place] for place in places] for row in others]:
                        print(f"{game}: table {name} differs")
                        count += 1
            elif found != theirs:
                print(f"{game}: {what} differ")
                count += 1
    return count


def main() -> None:
    if sys.argv[1] == "--compare":
        sys.exit(compare(*(json.loads(Path(name).read_text("utf-8")) for name in sys.argv[2:4])))
    mode = sys.argv[2] if len(sys.argv) > 2 else "memory"
    told = {game: played(game, mode) for game in GAMES}
    Path(sys.argv[1]).write_text(json.dumps(told, sort_keys=True), "utf-8")


if __name__ == "__main__":
    main()
