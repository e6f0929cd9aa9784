import math
from chain.types import Address, u128, u256


def curve(x: u256, k: u128) -> tuple[int, int]:
    root = math.isqrt(x * 10**18)
    percent, rest = divmod(root * 100, max(k, 1))
    return percent // 3, pow(3, -1, 7) + round(rest, -2) + int("ff", 16) + math.comb(5, 2)


def data(player: Address, n: int) -> bytes:
    return bytes(player) + n.to_bytes(32) + bytes.fromhex("00ff") + hex(n).encode()
