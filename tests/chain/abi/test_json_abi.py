"""Contracts known by their JSON ABI: every type, overloads, and events that only look alike."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import eth_abi
import pytest
from eth_abi.exceptions import NonEmptyPaddingBytes
from eth_utils.abi import function_abi_to_4byte_selector
from hypothesis import given
from hypothesis import strategies as st

from chain import abi
from chain.abi.json_abi import AbiEvent, events_from_json, functions_from_json, type_from_json
from chain.types import Address
from chain.values import Field, StructType

PLAIN = [
    *(f"{sign}int{bits}" for sign in ("u", "") for bits in range(8, 257, 8)),
    *(f"bytes{size}" for size in range(1, 33)),
    *("bool", "address", "string", "bytes", "function"),
]


def composed(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    sizes = st.sampled_from(["", "", "1", "3"])
    arrays = st.builds(lambda item, size: {**item, "type": f"{item['type']}[{size}]"}, inner, sizes)
    parts = st.lists(inner, min_size=1, max_size=3)
    return arrays | parts.map(lambda components: {"type": "tuple", "components": components})


PARAMETERS = st.recursive(
    st.sampled_from(PLAIN).map(lambda name: {"type": name}), composed, max_leaves=6
)


def values_of(parameter: dict[str, Any]) -> st.SearchStrategy[Any]:
    written = parameter["type"]
    if written.endswith("]"):
        rest, _, size = written[:-1].rpartition("[")
        lowest, highest = (int(size), int(size)) if size else (0, 3)
        items = st.lists(values_of({**parameter, "type": rest}), min_size=lowest, max_size=highest)
        return items.map(tuple) if size else items
    if written == "tuple":
        return st.tuples(*map(values_of, parameter["components"]))
    if "int" in written:
        bits, low = int(written.lstrip("uint")), 0 if written[0] == "u" else 1
        top = 2 ** (bits - low)
        return st.integers(-top * low, top - 1) | st.sampled_from([-top * low, top - 1])
    sizes = {"address": 20, "function": 24}
    if written in sizes or written[-1].isdigit():
        size = sizes.get(written) or int(written.removeprefix("bytes"))
        return st.binary(min_size=size, max_size=size)
    return {"bool": st.booleans(), "bytes": st.binary(max_size=70), "string": st.text(max_size=40)}[
        written
    ]


def named(parameter: dict[str, Any]) -> str:
    """The type as eth-abi writes it."""
    inner = ",".join(map(named, parameter.get("components", [])))
    return str(parameter["type"].replace("tuple", f"({inner})"))


def plain(value: Any) -> Any:
    """`value` as eth-abi returns it: tuples instead of lists, addresses as text."""
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    return f"0x{value.hex()}" if isinstance(value, Address) else value


TYPED = PARAMETERS.flatmap(lambda parameter: st.tuples(st.just(parameter), values_of(parameter)))


@given(TYPED)
def test_codec_equals_eth_abi(typed: tuple[dict[str, Any], Any]) -> None:
    parameter, value = typed
    kind, expected = type_from_json(parameter), eth_abi.encode([named(parameter)], [value])
    assert kind.abi_type == named(parameter)
    assert abi.decode(kind, expected) == value
    assert StructType("", (Field("value", kind),)).encode((value,)) == expected


@given(TYPED, st.data())
def test_spoiled_bytes_read_as_eth_abi_reads_them(
    typed: tuple[dict[str, Any], Any], data: st.DataObject
) -> None:
    parameter, value = typed
    raw = bytearray(eth_abi.encode([named(parameter)], [value]))
    at = 32 * data.draw(st.integers(0, len(raw) // 32 - 1))
    raw[at : at + 32] = data.draw(st.binary(min_size=32, max_size=32) | st.sampled_from(WORDS))
    with suppress(abi.BadData, NonEmptyPaddingBytes):  # what pads a text is nobody's business
        found = abi.decode(type_from_json(parameter), bytes(raw))
        assert (plain(found),) == eth_abi.decode([named(parameter)], bytes(raw))


WORDS = [number.to_bytes(32) for number in (0, 1, 2, 32, 64, 96, 128, 255, 2**64, 2**255)]


@pytest.mark.parametrize(
    "written",
    [
        "uint7",
        "int264",
        "bytes0",
        "bytes33",
        "fixed128x18",
        "uint8[0]",
        "uint8[65537]",
        "tuple",
        "map",
    ],
)
def test_unknown_type_is_refused(written: str) -> None:
    with pytest.raises(TypeError, match="is not known here"):
        type_from_json({"type": written})


def function(name: str, *inputs: str) -> dict[str, Any]:
    parameters = [{"name": f"x{i}", "type": written} for i, written in enumerate(inputs)]
    return {
        "type": "function",
        "name": name,
        "inputs": parameters,
        "outputs": [],
        "stateMutability": "view",
    }


@pytest.mark.parametrize(
    "inputs", [(), ("uint24",), ("uint8[3][]", "bytes3"), ("uint256[2]", "string")]
)
def test_selector_equals_eth_utils(inputs: tuple[str, ...]) -> None:
    item = function("f", *inputs)
    assert functions_from_json([item])["f"].selector == function_abi_to_4byte_selector(item)  # type: ignore[arg-type]


def test_overload_is_found_by_signature() -> None:
    functions = functions_from_json([function("f", "uint8"), function("f", "bool"), function("g")])
    assert functions["f(bool)"].params[0].kind == type_from_json({"type": "bool"})
    assert list(functions) == ["f", "g"]
    with pytest.raises(
        TypeError, match=r"2 functions 'f': choose one by its signature, 'f\(uint8\)', 'f\(bool\)'"
    ):
        functions["f"]


def test_unknown_type_fails_when_used() -> None:
    functions = functions_from_json([function("f", "fixed128x18"), function("g", "uint8")])
    assert functions["g"].encode_args((5,), {}).endswith(b"\x05")
    with pytest.raises(TypeError, match="fixed128x18"):
        functions["f"]


WRONG: list[tuple[tuple[Any, ...], str]] = [
    ((300, (1, 2)), r"f: x0 = 300 does not fit uint8 \(0..255\)"),
    ((3, (1, 2, 3)), r"f: x1 = \(1, 2, 3\) is not uint24\[2\] \(a tuple of 2\)"),
    ((3, (1, -1)), r"f: x1\[1\] = -1 does not fit uint24 \(0..16777215\)"),
    ((3,), "f takes 2 arguments, in order"),
]


@pytest.mark.parametrize(("args", "text"), WRONG)
def test_wrong_arguments_are_explained(args: tuple[Any, ...], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        functions_from_json([function("f", "uint8", "uint24[2]")])["f"].encode_args(args, {})


def transfer(*indexed: bool) -> AbiEvent:
    names = zip(("from", "to", "amount"), ("address", "address", "uint256"), indexed, strict=True)
    inputs = [{"name": name, "type": written, "indexed": yes} for name, written, yes in names]
    [event] = events_from_json([{"type": "event", "name": "Transfer", "inputs": inputs}])
    return event


def test_event_of_same_name_is_not_misread() -> None:
    token, art = transfer(True, True, False), transfer(True, True, True)
    assert token.topic == art.topic
    log = art.decode((art.topic, 1, 2, 3), b"")
    assert (log.amount, log.values["from"]) == (3, (1).to_bytes(20))
    with pytest.raises(abi.BadData, match="2 indexed values, not 3"):
        token.decode((art.topic, 1, 2, 3), b"")


def test_indexed_text_is_only_hash() -> None:
    inputs = [{"name": "text", "type": "string", "indexed": True}]
    [event] = events_from_json([{"type": "event", "name": "Said", "inputs": inputs}])
    assert event.decode((event.topic, 5), b"").text == (5).to_bytes(32)


def test_log_shows_what_it_has() -> None:
    log = transfer(True, True, True).decode((0, 1, 2, 3), b"")
    with pytest.raises(
        AttributeError, match="event Transfer has no 'value'; it has from, to, amount"
    ):
        _ = log.value
