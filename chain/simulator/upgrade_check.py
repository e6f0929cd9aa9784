"""What is different about a contract that was deployed and its class of now, and whether its storage can stay.

Storage can stay when every field that was there is there still, under its name, with its type, in its place; new fields may
follow. The same holds for each model that its systems use.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from chain.ledger.artifacts import Artifact, artifact_of
from chain.metering.program import Program


def description_of(program: Program) -> dict[str, Any]:
    """What a journal keeps of a contract, so that later it can be told what changed."""
    return described(program.digest, artifact_of(program))


def described(digest: bytes, artifact: Artifact) -> dict[str, Any]:
    """The same of the class with that digest, whether it is declared or not."""
    return {
        "contract": artifact.name,
        "digest": f"0x{digest.hex()}",
        "abi": artifact.abi,
        "storage": artifact.storage,
        "models": artifact.models,
    }


def is_changed(before: dict[str, Any], program: Program) -> bool:
    """Whether a contract is another than a journal says: its code, or how it lies in storage."""
    now = json.loads(json.dumps(description_of(program)))
    return any(before.get(name) != value for name, value in now.items())


def changes(before: dict[str, Any], program: Program) -> list[str]:
    """What changed, a line for each; that nothing but the rules did, where nothing else shows."""
    now = description_of(program)
    lines = [*_abi_changes(before["abi"], now["abi"]), *_storage_changes(before, now)]
    return lines or ["the rules only: ABI and storage are as they were"]


def upgrade_blockers(before: dict[str, Any], program: Program) -> list[str]:
    """Why storage cannot stay, a line for each field in the way; none if it can."""
    made = artifact_of(program)
    found = [*_moved(made.name, before["storage"], made.storage)]
    for name, was in before["models"].items():
        now = made.models.get(name)
        if now is None:  # no system reads it any more
            continue
        if was["keys"] != now["keys"]:
            found.append(
                f"the keys of model {name} were {_list(was['keys'])} and are {_list(now['keys'])}"
            )
        found += _moved(name, was["members"], now["members"])
    return found


def _moved(owner: str, was: list[dict[str, Any]], now: list[dict[str, Any]]) -> Iterator[str]:
    after = {spot["name"]: spot for spot in now}
    for spot in was:
        path, new = f"{owner}.{spot['name']}", after.get(spot["name"])
        if new is None:
            yield f"{path} is gone: its place may not be used for anything else"
        elif new["type"] != spot["type"]:
            yield f"{path} was {spot['type']} and is {new['type']}"
        elif (new["word"], new["offset"]) != (spot["word"], spot["offset"]):
            yield f"{path} moved from {_place(spot)} to {_place(new)}: put new fields last"


def _abi_changes(was: list[dict[str, Any]], now: list[dict[str, Any]]) -> Iterator[str]:
    before, after = _by_signature(was), _by_signature(now)
    yield from (f"new {each}" for each in after if each not in before)
    yield from (f"gone {each}" for each in before if each not in after)
    for each in before.keys() & after.keys():
        if before[each] != after[each]:
            yield f"changed {each}: {before[each]} is now {after[each]}"


def _by_signature(abi: list[dict[str, Any]]) -> dict[str, str]:
    """For each item of an ABI what it is called with, and what else there is to it."""
    return {
        f"{item['type']} {item.get('name', '')}({', '.join(map(_type, item['inputs']))})":
        f"{item.get('stateMutability', '')} {', '.join(map(_type, item.get('outputs', [])))}".strip()
        for item in abi
    }  # fmt: skip


def _type(item: dict[str, Any]) -> str:
    text: str = item["type"]
    if text.startswith("tuple"):
        return f"({','.join(map(_type, item['components']))}){text[5:]}"
    return text


def _storage_changes(was: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    yield from _spots_changed(now["contract"], was["storage"], now["storage"])
    for name, model in now["models"].items():
        if name not in was["models"]:
            yield f"new model {name}"
        else:
            yield from _spots_changed(name, was["models"][name]["members"], model["members"])


def _spots_changed(
    owner: str, was: list[dict[str, Any]], now: list[dict[str, Any]]
) -> Iterator[str]:
    known = {spot["name"] for spot in was}
    yield from _moved(owner, was, now)
    yield from (
        f"new field {owner}.{s['name']}: {s['type']}" for s in now if s["name"] not in known
    )


def _place(spot: dict[str, Any]) -> str:
    return f"word {spot['word']}, byte {spot['offset']}"


def _list(words: list[str]) -> str:
    return ", ".join(words)
