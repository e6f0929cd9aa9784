"""The storage of worlds and contracts by name: models and their history, and fields, now and at any block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from chain.abi import abi_name
from chain.ledger.decoded.field_reader import field_reader
from chain.ledger.decoded.versions import Version
from chain.ledger.decoded.world_namespace import is_world
from chain.ledger.decoded.worlds import StoredWorld, worlds_of
from chain.ledger.sql.json_values import address_text
from chain.rpc.block_tags import LATEST, state_at
from chain.rpc.chain.values import address_resolver, client_errors, contract_at, plain
from chain.rpc.errors import bad_params
from chain.rpc.hex_values import data, to_list
from chain.rpc.json_format import Json
from chain.rpc.node import Node
from chain.spec.models import ModelSpec
from chain.storage.collection import CollectionLayout
from chain.storage.fields import FieldsLayout, Layout
from chain.storage.map import Map, MapLayout
from chain.storage.read_only import ReadOnlyStorage
from chain.storage.slots import Slots
from chain.values import ValueType
from chain.values.records import members_from_json

_MOST: Final = 10_000  # items of a collection, instances of a model


# Worlds


def worlds(node: Node) -> list[Json]:
    """Return the worlds of the chain, each in all its namespaces, with their systems and models."""
    return [_described(node, world) for world in worlds_of(node.chain.ledger)]


def _described(node: Node, world: StoredWorld) -> Json:
    ledger, systems = node.chain.ledger, {}
    for address in world.registered:
        program = ledger.program_at(address)
        systems[program.spec.name if program else address_text(address)] = address_text(address)
    return {
        "namespace": world.namespace,
        "address": address_text(world.address),
        "systems": systems,
        "models": {
            spec.name: [abi_name(key) for key in spec.record.keys] for spec in world.models.values()
        },
    }


def model(node: Node, world: object, name: object, keys: object, block: object = LATEST) -> Json:
    """Return the model with these keys at the end of a block, and whether it is set. An unset model is all zero."""
    stored, spec = _kept(node, world, name, block)
    with client_errors():
        cls: type[object] = spec.record.cls
        values = _keys(node, spec, keys)
        instance: object = stored.read(cls, *values)
        return {"exists": stored.exists(cls, *values), "value": plain(instance)}


def models(node: Node, world: object, name: object, block: object = LATEST) -> list[object]:
    """Return every instance of a model that is set at the end of a block, in the order of first writes."""
    stored, spec = _kept(node, world, name, block)
    instances: list[object] = stored.all(spec.record.cls)
    return [plain(instance) for instance in instances[:_MOST]]


def model_history(node: Node, world: object, name: object, keys: object) -> list[Json]:
    """Return the value of a model after every transaction that changed it; null where it was erased."""
    stored, spec = _kept(node, world, name, LATEST)
    with client_errors():
        versions: list[Version[object]] = stored.history(spec.record.cls, *_keys(node, spec, keys))
    return _shown(versions)


def _shown(versions: Sequence[Version[object]]) -> list[Json]:
    return [
        {
            "value": plain(version.value),
            "block": version.block_number,
            "timestamp": version.timestamp,
            "receipt": version.receipt.position,
            "hash": data(version.receipt.tx_hash),
        }
        for version in versions[:_MOST]
    ]


def _kept(node: Node, world: object, name: object, block: object) -> tuple[StoredWorld, ModelSpec]:
    """Return a world at the end of a block, and the spec of one of its models."""
    chain = node.chain
    address, namespace = _world(node, world)
    reader, _ = state_at(chain, block)
    moment = len(chain.ledger.timeline)
    stored = StoredWorld(reader.ledger, reader.state, address, moment, namespace)
    specs = {spec.name: spec for spec in stored.models.values()}
    if not isinstance(name, str) or name not in specs:
        raise bad_params(f"the world has no model {name!r}; it has {', '.join(sorted(specs))}")
    return stored, specs[name]


def _world(node: Node, world: object) -> tuple[bytes, str | None]:
    """Return the address of a world and the namespace that is meant, given that namespace or the address."""
    for stored in worlds_of(node.chain.ledger):
        if stored.namespace == world:
            return stored.address, stored.namespace
    address, program = contract_at(node, world, "the world")
    if not is_world(program):
        raise bad_params(f"there is no World at {address}")
    return address, None


def _keys(node: Node, spec: ModelSpec, keys: object) -> list[object]:
    keys = keys if isinstance(keys, dict | list) else [keys]
    members, path = spec.record.key_members, f"the key of {spec.name}"
    return members_from_json(members, keys, path, address_resolver(node.chain))


# Fields


def fields(node: Node, contract: object, block: object = LATEST) -> Json:
    """Return a contract's own storage by name, at the end of a block. A Map has an entry for each used key that is set."""
    address, program = contract_at(node, contract)
    layout, reader = program.spec.fields, state_at(node.chain, block)[0]
    if layout is None:
        return {}
    words = ReadOnlyStorage(reader.state.slots, reader.state.storages[address])
    return _Fields(reader.state.slots, words).all(layout)


def field_history(node: Node, contract: object, field: Any, keys: object = ()) -> list[Json]:
    """Return the value of a field, or of its item under `keys`, after every transaction that changed it."""
    (address, program), ledger = contract_at(node, contract), node.chain.ledger
    resolve = address_resolver(node.chain)

    def read_key(kind: ValueType, key: object, path: str) -> Any:
        return kind.from_json(key, path, resolve)

    with client_errors():
        moment, given = len(ledger.timeline), to_list(keys, "the keys")
        read = field_reader(program.spec, field, given, read_key)
        versions: list[Version[Any]] = ledger.history.versions(bytes(address), read, moment)
    return _shown(versions)


class _Fields:
    """Reads whole fields and collections."""

    def __init__(self, slots: Slots, words: ReadOnlyStorage) -> None:
        self._words, self._unset = words, ReadOnlyStorage(slots, {})
        self._below: defaultdict[int, list[tuple[bytes, int]]] = defaultdict(list)
        for slot, (parent, key) in slots.preimages.items():
            if key is not None:
                self._below[parent].append((key, slot))

    def all(self, layout: FieldsLayout) -> Json:
        return {
            name: self._to_json(
                layout.layouts[index], layout.accessors(index)[0](self._words, 0), location.word
            )
            for index, (name, location) in enumerate(zip(layout.names, layout.places, strict=True))
        }

    def _to_json(self, layout: Layout, value: Any, slot: int) -> object:
        if isinstance(layout, MapLayout) and layout.collection is Map:
            return list(islice(self._items(layout, slot), _MOST))
        if isinstance(layout, CollectionLayout) and len(layout.parts) == 2:  # keys and values
            pairs = islice(value.items(), _MOST)
            return [{"key": plain(key), "value": plain(held)} for key, held in pairs]
        if isinstance(layout, CollectionLayout):
            return [plain(item) for item in islice(value, _MOST)]
        return plain(value)

    def _items(self, layout: MapLayout, slot: int) -> Iterator[Json]:
        """Yield the entries that are set in the map at this slot."""
        for key, value_slot in self._below[slot]:
            inner = layout.value
            value = self._to_json(inner, inner.load(self._words, value_slot), value_slot)
            if self._is_set(inner, value, value_slot):
                yield {"key": plain(layout.key.key_of(key)), "value": value}

    def _is_set(self, layout: Layout, value: object, slot: int) -> bool:
        if isinstance(layout, CollectionLayout):
            return bool(value)
        return bool(value != plain(layout.load(self._unset, slot)))
