"""Changes of Osaka: CLZ, P256VERIFY, prices of MODEXP, limits; and our own precompiled contracts."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files

import pytest
from Crypto.Hash import SHA256
from Crypto.PublicKey import ECC
from Crypto.Signature import DSS
from eth.exceptions import VMError
from py_arkworks_bls12381 import G1Point, G2Point

from chain import Address, Chain, InvalidTransaction
from chain.ledger.receipts import Receipt
from chain.machine.evm import bls12_381, kzg, modexp, p256
from chain.machine.gas import TOKEN, calldata_tokens
from chain.machine.hardforks import FORKS

P256VERIFY = Address((0x100).to_bytes(20))
LOW, HIGH = (1).to_bytes(32), b"\xff" * 32
MODULUS = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB


def leading_zeros(chain: Chain, number: int) -> Receipt:
    code = b"\x7f" + number.to_bytes(32) + b"\x1e" + bytes.fromhex("60005260206000f3")
    chain.set_code(b"\xcc" * 20, code)
    return chain.send(Address(b"\xcc" * 20))


@pytest.mark.parametrize(
    ("number", "zeros"), [(0, 256), (1, 255), (255, 248), (2**255, 0), (2**256 - 1, 0)]
)
def test_clz_counts_leading_zeros(number: int, zeros: int) -> None:
    assert int.from_bytes(leading_zeros(Chain(), number).output) == zeros


def test_prague_lacks_clz() -> None:
    chain = Chain(fork="prague")
    chain.set_code(b"\xcc" * 20, bytes.fromhex("60001e00"))
    receipt = chain.send(Address(b"\xcc" * 20), gas=10**6)
    assert receipt.error is not None and "Invalid opcode 0x1e" in receipt.error.text


# P256VERIFY


@pytest.fixture(scope="module")
def signature() -> bytes:
    key = ECC.construct(curve="P-256", d=0xC0FFEE)
    message = SHA256.new(b"boardchain")
    signed = DSS.new(key, "deterministic-rfc6979").sign(message)
    point = key.pointQ
    return message.digest() + signed + int(point.x).to_bytes(32) + int(point.y).to_bytes(32)


def replaced(data: bytes, index: int, word: bytes) -> bytes:
    return data[: 32 * index] + word + data[32 * (index + 1) :]


def test_signature_of_a_phone_is_verified(signature: bytes) -> None:
    assert p256.verify(signature) == LOW
    receipts = [Chain(fork=fork).send(P256VERIFY, signature, gas=60_000) for fork in FORKS]
    assert [receipt.output for receipt in receipts] == [b"", LOW, LOW, LOW]
    assert receipts[1].gas_used == 21_000 + TOKEN * calldata_tokens(signature) + 6_900


@pytest.mark.parametrize("index", range(5))
@pytest.mark.parametrize("word", [bytes(32), LOW, HIGH])
def test_altered_signatures_do_not_verify(signature: bytes, index: int, word: bytes) -> None:
    assert p256.verify(replaced(signature, index, word)) == b""


def test_signatures_have_one_length(signature: bytes) -> None:
    assert p256.verify(signature + b"\0") == p256.verify(signature[:-1]) == b""


# MODEXP


def power(base: bytes, exponent: bytes, modulus: bytes) -> bytes:
    return (
        b"".join(len(each).to_bytes(32) for each in (base, exponent, modulus))
        + base
        + exponent
        + modulus
    )


@pytest.mark.parametrize(
    ("data", "berlin", "osaka"),
    [
        (power(b"\3", b"\2", b"\5"), 200, 500),
        (power(b"\1" * 32, b"\xff" * 32, b"\1" * 32), 1_360, 4_080),
        (power(b"\1" * 33, b"\1\0\1", b"\1" * 33), 200, 800),
        (power(b"\1" * 128, b"\1\0\1", b"\1" * 128), 1_365, 8_192),
        (power(b"\1" * 128, b"\1" + bytes(39), b"\1" * 128), 26_624, 192_512),
        (power(b"", b"", b""), 200, 500),
    ],
)  # fmt: skip
def test_prices_of_powers(data: bytes, berlin: int, osaka: int) -> None:
    assert (modexp.BERLIN.price(data), modexp.OSAKA.price(data)) == (berlin, osaka)


@pytest.mark.parametrize(
    ("data", "result"),
    [
        (power(b"\3", b"\2", b"\5"), b"\4"),
        (power(b"", b"\2", b"\5"), b"\0"),
        (power(b"", b"", b"\5"), b"\1"),
        (power(b"\3", b"\2", b"\1"), b"\0"),
        (power(b"\3", b"\2", bytes(3)), bytes(3)),
        (power(b"\3", b"\2", b""), b""),
        (power(b"\3", b"\2", b"\5")[:-1], b"\0"),
        (power(b"\3", b"\2", b"\5")[:-2] + b"\2", b"\0"),
        (b"", b""),
        (bytes(32) + HIGH, b""),
    ],
)
def test_powers(data: bytes, result: bytes) -> None:
    assert modexp.power(data) == result


def test_powers_of_osaka_have_a_largest_size() -> None:
    longest, longer = (power(b"\2", b"\1", bytes(size - 1) + b"\3") for size in (1024, 1025))
    assert modexp.OSAKA.run(longest) == bytes(1023) + b"\2"
    assert modexp.BERLIN.run(longer) == bytes(1024) + b"\2"
    with pytest.raises(VMError, match="up to 1024 bytes"):
        modexp.OSAKA.run(longer)


# BLS12-381 and KZG


def padded(point: G1Point | G2Point) -> bytes:
    raw = point.to_xy_bytes_be()
    return b"".join(bytes(16) + raw[i : i + 48] for i in range(0, len(raw), 48))


ONE, TWO = padded(G1Point()), padded(G2Point())
BLS = {each.name.removeprefix("BLS12_"): each for each in bls12_381.PRECOMPILES}
OUTSIDE = next(  # a point of the curve, though not of the subgroup
    x.to_bytes(64) + y.to_bytes(64)
    for x in range(1, 20)
    for y in [pow(x**3 + 4, (MODULUS + 1) // 4, MODULUS)]
    if y * y % MODULUS == x**3 + 4
)


@pytest.mark.parametrize(("group", "point"), [("G1", ONE), ("G2", TWO)])
def test_points_are_added_as_often_as_asked(group: str, point: bytes) -> None:
    twice = BLS[f"{group}ADD"].run(point + point)
    thrice = BLS[f"{group}ADD"].run(twice + point)
    multiply = BLS[f"{group}MSM"].run
    assert multiply(point + (3).to_bytes(32)) == thrice
    assert multiply(point + LOW + twice + LOW) == thrice
    assert multiply(point + HIGH) == multiply(
        point + (int.from_bytes(HIGH) % kzg._MODULUS).to_bytes(32)
    )
    assert BLS[f"{group}ADD"].run(point + bytes(len(point))) == point


def test_pairings_are_checked() -> None:
    check = BLS["PAIRING_CHECK"].run
    assert check(ONE + TWO + padded(-G1Point()) + TWO) == LOW
    assert check(ONE + TWO + ONE + TWO) == bytes(32)
    assert check(bytes(128) + TWO) == LOW


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("G1ADD", ONE), ("G1ADD", ONE * 3), ("G1ADD", b"\1" + ONE[1:] + ONE), ("G1ADD", ONE[:-1] + b"\0" + ONE),
        ("G1MSM", b""), ("G1MSM", OUTSIDE + LOW), ("G2MSM", TWO), ("PAIRING_CHECK", b""), ("PAIRING_CHECK", OUTSIDE + TWO),
        ("MAP_FP_TO_G1", MODULUS.to_bytes(64)), ("MAP_FP_TO_G1", bytes(63)), ("MAP_FP2_TO_G2", bytes(64)),
    ],
)  # fmt: skip
def test_bytes_that_are_not_a_point_are_refused(name: str, data: bytes) -> None:
    with pytest.raises(VMError):
        BLS[name].run(data)


def test_sums_take_points_outside_of_the_subgroup() -> None:
    assert BLS["G1ADD"].run(OUTSIDE + bytes(128)) == OUTSIDE


@pytest.mark.parametrize(
    ("name", "size", "count", "price"),
    [("G1MSM", 160, 1, 12_000), ("G1MSM", 160, 128, 797_184), ("G1MSM", 160, 130, 809_640), ("G2MSM", 288, 2, 45_000),
     ("PAIRING_CHECK", 384, 2, 102_900), ("MAP_FP2_TO_G2", 128, 1, 23_800)],
)  # fmt: skip
def test_prices_of_points(name: str, size: int, count: int, price: int) -> None:
    assert BLS[name].price(bytes(size * count)) == price


def proof(value: int, commitment: bytes, quotient: bytes, point: int = 9) -> bytes:
    versioned = b"\1" + sha256(commitment).digest()[1:]
    return versioned + point.to_bytes(32) + value.to_bytes(32) + commitment + quotient


def test_a_blob_has_its_value_at_a_point() -> None:
    setup = (files("eth") / "_utils" / "kzg_trusted_setup.txt").read_text().split()
    secret = bytes.fromhex(setup[2 + 4096 + 65 + 1])  # the polynomial that is its own argument
    one = G1Point().to_compressed_bytes()
    assert kzg.evaluate(proof(9, secret, one))[:32] == (4096).to_bytes(32)
    with pytest.raises(VMError, match="does not hold"):
        kzg.evaluate(proof(8, secret, one))
    for data in (
        proof(9, secret, one)[1:],
        b"\2" + proof(9, secret, one)[1:],
        proof(9, secret, bytes(48)),
        proof(9, secret, one, point=9 + kzg._MODULUS),
    ):
        with pytest.raises(VMError):
            kzg.evaluate(data)


# Admission


def test_gas_of_a_transaction_has_a_cap_if_asked() -> None:
    capped, free, old = Chain(tx_gas_cap=True), Chain(), Chain(fork="prague", tx_gas_cap=True)
    for chain in (free, old):
        assert chain.send(chain.accounts[1], gas=2**24 + 1).ok
    assert capped.send(capped.accounts[1]).gas == 2**24
    with pytest.raises(InvalidTransaction, match=r"transaction gas limit too high: .* 16777217"):
        capped.send(capped.accounts[1], gas=2**24 + 1)


def test_contracts_do_not_sign() -> None:
    chain = Chain()
    alice, bob = chain.accounts[:2]
    raw = chain.node.request(
        "eth_signTransaction",
        [{"from": str(alice), "to": str(bob), "nonce": "0x0", "gas": "0x5208"}],
    )["raw"]
    chain.set_code(alice, b"\0")
    with pytest.raises(Exception, match=r"sender not an eoa: .* cannot sign"):
        chain.node.request("eth_sendRawTransaction", [raw])
    chain.set_code(alice, b"\xef\1\0" + bytes(19) + b"\1")
    assert chain.node.request("eth_sendRawTransaction", [raw])
    chain.set_code(bob, b"\0")
    assert chain.send(alice, sender=bob).ok  # impersonated


def test_blocks_hold_what_their_fork_says() -> None:
    limits = [Chain(fork=name).head.gas_limit for name in FORKS]
    assert limits == [30_000_000, 60_000_000, 60_000_000, 60_000_000]
    assert Chain(gas_limit=10**6).head.gas_limit == 10**6


@pytest.mark.parametrize("fork", ["shanghai", ""])
def test_other_forks_are_refused(fork: str) -> None:
    with pytest.raises(ValueError, match="there are prague, osaka, bpo1, bpo2"):
        Chain(fork=fork)
