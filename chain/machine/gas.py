"""Gas: all prices that Python contracts pay, in one place. They are those of Prague and of the later forks.

Bytecode pays what py-evm charges; `chain.machine.evm.forks` has what a newer fork changes there.
"""

from __future__ import annotations

from typing import Final

TRANSACTION: Final = 21_000
CREATE: Final = 32_000
# Tokens for a byte of calldata other than zero, which is one token (EIP-7623).
NONZERO_BYTE: Final = 4
TOKEN: Final = 4
FLOOR_PER_TOKEN: Final = 10
INITCODE_WORD: Final = 2  # EIP-3860
KECCAK_WORD: Final = 6
CODE_BYTE: Final = 200
ACCESS_LIST_ADDRESS: Final = 2_400  # EIP-2930
ACCESS_LIST_SLOT: Final = 1_900
AUTHORIZATION: Final = 25_000  # EIP-7702

COLD_ACCOUNT: Final = 2_600  # EIP-2929
COLD_SLOAD: Final = 2_100
WARM: Final = 100
SSTORE_SET: Final = 20_000
SSTORE_RESET: Final = 2_900
SSTORE_SENTRY: Final = 2_300  # EIP-2200: a write with no more gas than this fails
REFUND_CLEAR: Final = 4_800  # EIP-3529
REFUND_SHARE: Final = 5  # at most a fifth of the gas used is refunded

LOG: Final = 375
LOG_TOPIC: Final = 375
LOG_BYTE: Final = 8
CALL_VALUE: Final = 9_000
CALL_STIPEND: Final = 2_300
NEW_ACCOUNT: Final = 25_000

MAX_TRANSACTION: Final = 2**24  # EIP-7825
PER_BLOB: Final = 131_072  # of blob gas, EIP-4844
BLOB_BASE_COST: Final = 2**13  # gas to check a blob, EIP-7918

ECRECOVER: Final = 3_000
CLZ: Final = 5  # EIP-7939
POINT_EVALUATION: Final = 50_000
P256_VERIFY: Final = 6_900  # EIP-7951
MODEXP_MAX_BYTES: Final = 1_024  # EIP-7823
MODEXP_LEAST: Final = 500  # EIP-7883
MODEXP_SHORT_STEP: Final = 16
MODEXP_LEAST_BERLIN: Final = 200  # EIP-2565
MODEXP_DIVISOR_BERLIN: Final = 3
BLS_G1_ADD: Final = 375  # EIP-2537
BLS_G1_MULTIPLY: Final = 12_000
BLS_G2_ADD: Final = 600
BLS_G2_MULTIPLY: Final = 22_500
BLS_PAIRING: Final = 37_700
BLS_PAIRING_PAIR: Final = 32_600
BLS_MAP_TO_G1: Final = 5_500
BLS_MAP_TO_G2: Final = 23_800

MAX_DEPTH: Final = 1_024


def calldata_tokens(data: bytes) -> int:
    """Return the length of calldata in tokens, the unit of its price."""
    return NONZERO_BYTE * len(data) - (NONZERO_BYTE - 1) * data.count(0)


def word_count(size: int) -> int:
    """Return the number of 32-byte words that `size` bytes take."""
    return -(-size // 32)


def all_but_one_64th(gas: int) -> int:
    """Return the most gas that a message with `gas` left can pass on (EIP-150)."""
    return gas - gas // 64
