"""Worlds: their systems and models, the instances of a model, and the history of each."""

from __future__ import annotations

import dataclasses
from itertools import islice, pairwise
from typing import Any, Final

from starlette.requests import Request

from chain.abi import abi_name
from chain.crypto.hashing import checksum_address
from chain.explorer import page
from chain.explorer.distant_past import approach
from chain.explorer.page import Page, PageProblem
from chain.explorer.site import Site
from chain.foundation.dataclass import dataclass
from chain.ledger.decoded.versions import Version
from chain.ledger.decoded.worlds import StoredWorld
from chain.spec.models import ModelSpec
from chain.values.mismatch import ParseError

_ROWS: Final = 50
_VERSIONS: Final = 16


@dataclass(frozen=True, slots=True)
class Change:
    """The change of a model by one transaction."""

    version: Version[object]
    fields: list[tuple[str, object, object]]  # name, before, after


def worlds(site: Site, request: Request) -> Page:
    rows = [(world, world.address) for world in site.worlds]
    return Page("worlds.html", "Worlds", {"rows": rows}, "/worlds")


def world(site: Site, request: Request) -> Page:
    kept = _world(site, request)
    models = sorted(kept.models.values(), key=lambda spec: spec.name)
    data = {
        "namespace": kept.namespace,
        "address": kept.address,
        "checksum": checksum_address(kept.address),
        "systems": [site.names.link(system) for system in kept.registered],
        "models": models,
    }
    return Page("world.html", f"World {kept.namespace}", data, "/worlds")


async def model(site: Site, request: Request) -> Page:
    """The instances of a model; with all its keys, the history of one."""
    kept = _world(site, request)
    name = request.path_params["model"]
    spec = next((spec for spec in kept.models.values() if spec.name == name), None)
    if spec is None:
        raise PageProblem(f"The world {kept.namespace} has no model {name}.")
    members = spec.record.key_members
    typed = {member.name: page.word(request, f"k.{abi_name(member.name)}") for member in members}
    data: dict[str, object] = {
        "namespace": kept.namespace,
        "spec": spec,
        "keys": [
            (abi_name(member.name), member.kind.name, typed[member.name]) for member in members
        ],
        "members": [abi_name(member.name) for member in spec.record.members],
        "history": None,
    }
    if members and all(typed.values()):
        data |= await _history(site, kept, spec, typed, page.number(request, "before"))
    else:
        data |= _instances(site, kept, spec, page.number(request, "from") or 0)
    return Page("model.html", name, data, "/worlds")


def _world(site: Site, request: Request) -> StoredWorld:
    name = request.path_params["namespace"]
    for kept in site.worlds:
        if name in (kept.namespace, checksum_address(kept.address)):
            return kept
    raise PageProblem(f"There is no World {name} on this chain.")


def _instances(site: Site, kept: StoredWorld, spec: ModelSpec, first: int) -> dict[str, object]:
    places = site.fields.below(kept.parent(spec))
    there = (kept.at(spec, slot, key) for key, slot in places)
    found = list(islice((model for model in there if model is not None), first, first + _ROWS + 1))
    return {
        "rows": found[:_ROWS],
        "first": first,
        "more": first + _ROWS if len(found) > _ROWS else None,
    }


async def _history(
    site: Site, kept: StoredWorld, spec: ModelSpec, typed: dict[str, str], before: int | None
) -> dict[str, object]:
    """The last versions of a model before a transaction, newest first."""
    find, ledger, cls = site.chain.address_of, site.ledger, spec.record.cls
    try:
        keys = tuple(
            member.kind.from_word(
                typed[member.name], abi_name(member.name), lambda word: find(word)
            )
            for member in spec.record.key_members
        )
    except ParseError as error:
        raise PageProblem(str(error), 400) from None
    await approach(ledger)
    end = len(ledger.timeline)
    moment = end if before is None else min(end, ledger.timeline.moment_of(before))
    versions = kept.versions(spec, keys, moment, _VERSIONS + 1)
    values = [None, *(version.value for version in versions)]
    changes = [
        Change(v, _differences(*pair)) for v, pair in zip(versions, pairwise(values), strict=True)
    ]
    older = len(versions) > _VERSIONS
    return {
        "history": changes[:0:-1] if older else changes[::-1],
        "now": kept.read(cls, *keys) if kept.exists(cls, *keys) else None,
        "older": versions[1].receipt.position if older else None,
        "is_all": before is None and not older,
        "rows": [],
        "more": None,
    }


def _differences(before: Any, after: Any) -> list[tuple[str, object, object]]:
    """The fields that differ; all fields if the model did not exist before."""
    known = after if after is not None else before
    if known is None:
        return []
    names = [member.name for member in dataclasses.fields(known)]
    pairs = ((name, getattr(before, name, None), getattr(after, name, None)) for name in names)
    return [(abi_name(name), old, new) for name, old, new in pairs if old != new]
