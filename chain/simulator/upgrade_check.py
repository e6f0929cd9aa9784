"""Comparison of a deployed contract with the current version of its class, and the check whether its storage still fits.

Storage fits if every old field still exists with the same name, type and slot; new fields may follow. The same holds for each
model that the systems of a world use.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from chain.abi.json_abi import JsonObject
from chain.ledger.artifacts import Artifact, artifact_of
from chain.metering.program import Program


def description_of(program: Program) -> JsonObject:
    """Return the description of a contract that a journal keeps, so that later changes can be reported."""
    return described(program.digest, artifact_of(program))


def described(digest: bytes, artifact: Artifact) -> JsonObject:
    """Return the description of the class with that digest, whether it is declared or not."""
    return {
        "contract": artifact.name,
        "digest": f"0x{digest.hex()}",
        "abi": artifact.abi,
        "storage": artifact.storage,
        "models": artifact.models,
    }


def is_changed(before: JsonObject, program: Program) -> bool:
    """Return True if the code or storage layout of a contract differs from its description in a journal."""
    after = json.loads(json.dumps(description_of(program)))
    return any(before.get(name) != value for name, value in after.items())


def changes(before: JsonObject, program: Program) -> list[str]:
    """Return a line for each change. If ABI and storage are unchanged, one line states that only the rules changed."""
    after = description_of(program)
    lines = [*_abi_changes(before["abi"], after["abi"]), *_storage_changes(before, after)]
    return lines or ["the rules only: ABI and storage are unchanged"]


def upgrade_blockers(before: JsonObject, program: Program) -> list[str]:
    """Return a line for each field that prevents an upgrade; none if the storage fits."""
    artifact = artifact_of(program)
    blockers = [*_moved(artifact.name, before["storage"], artifact.storage)]
    for name, old in before["models"].items():
        new = artifact.models.get(name)
        if new is None:  # no system reads the model any more
            continue
        if old["keys"] != new["keys"]:
            blockers.append(
                f"the keys of model {name} were {_list(old['keys'])} and are {_list(new['keys'])}"
            )
        blockers += _moved(name, old["members"], new["members"])
    return blockers


def _moved(owner: str, was: list[JsonObject], now: list[JsonObject]) -> Iterator[str]:
    """Describe the fields of `owner` that are missing, moved, or of another type than before."""
    new_fields = {field["name"]: field for field in now}
    for field in was:
        path, new_field = f"{owner}.{field['name']}", new_fields.get(field["name"])
        if new_field is None:
            yield f"{path} was removed: its slots must not be used for anything else"
        elif new_field["type"] != field["type"]:
            yield f"{path} was {field['type']} and is {new_field['type']}"
        elif (new_field["word"], new_field["offset"]) != (field["word"], field["offset"]):
            yield f"{path} moved from {_place(field)} to {_place(new_field)}: put new fields last"


def _abi_changes(was: list[JsonObject], now: list[JsonObject]) -> Iterator[str]:
    """Describe the new, missing and changed items of an ABI."""
    before, after = _by_signature(was), _by_signature(now)
    yield from (f"new {signature}" for signature in after if signature not in before)
    yield from (f"gone {signature}" for signature in before if signature not in after)
    for signature in before.keys() & after.keys():
        if before[signature] != after[signature]:
            yield f"changed {signature}: {before[signature]} is now {after[signature]}"


def _by_signature(abi: list[JsonObject]) -> dict[str, str]:
    """Return the items of an ABI as a map: its keys are type, name and inputs, its values mutability and outputs."""
    return {
        f"{item['type']} {item.get('name', '')}({', '.join(map(_type, item['inputs']))})":
        f"{item.get('stateMutability', '')} {', '.join(map(_type, item.get('outputs', [])))}".strip()
        for item in abi
    }  # fmt: skip


def _type(item: JsonObject) -> str:
    """Return the type of an ABI parameter, with the members of a tuple written out."""
    text: str = item["type"]
    if text.startswith("tuple"):
        return f"({','.join(map(_type, item['components']))}){text[5:]}"
    return text


def _storage_changes(was: JsonObject, now: JsonObject) -> Iterator[str]:
    """Describe the changes in the storage of a contract and in its models."""
    yield from _spots_changed(now["contract"], was["storage"], now["storage"])
    for name, model in now["models"].items():
        if name not in was["models"]:
            yield f"new model {name}"
        else:
            yield from _spots_changed(name, was["models"][name]["members"], model["members"])


def _spots_changed(owner: str, was: list[JsonObject], now: list[JsonObject]) -> Iterator[str]:
    """Describe the changed and new fields of `owner`."""
    old_names = {field["name"] for field in was}
    yield from _moved(owner, was, now)
    yield from (
        f"new field {owner}.{field['name']}: {field['type']}"
        for field in now
        if field["name"] not in old_names
    )


def _place(spot: JsonObject) -> str:
    return f"word {spot['word']}, byte {spot['offset']}"


def _list(words: list[str]) -> str:
    return ", ".join(words)
