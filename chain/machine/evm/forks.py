"""The environment of bytecode under each fork: the operations and the precompiled contracts.

py-evm ends at Prague. What it lacks, gets wrong or does slowly is here and in the other modules of this package.

The next fork, Amsterdam (EIP-7773), is a new `Fork` and an entry in each table here. That is enough for its operations
(SLOTNUM, DUPN, SWAPN, EXCHANGE), the size of code and a predeployed factory. Five things take more. Prices of state and of
transactions (EIP-2780, 7976, 7981, 8037, 8038) are constants of `chain.machine.gas` and of py-evm's logic. Ether
transfers that write a log (7708) and SELFDESTRUCT without burning (8246) concern both executors. Block gas without refunds
(7778) concerns the ledger, and the block access list (7928) blocks and headers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from eth.abc import ComputationAPI, OpcodeAPI
from eth.constants import GAS_NULL
from eth.exceptions import OutOfGas
from eth.vm import mnemonics, opcode_values
from eth.vm.forks.byzantium.opcodes import ensure_no_static
from eth.vm.forks.cancun.logic import selfdestruct_eip6780
from eth.vm.forks.prague.computation import PRAGUE_PRECOMPILES
from eth.vm.forks.prague.opcodes import PRAGUE_OPCODES
from eth.vm.forks.prague.transactions import PragueTransactionBuilder
from eth.vm.forks.tangerine_whistle.constants import GAS_SELFDESTRUCT_EIP150
from eth.vm.opcode import as_opcode

from chain.machine import gas
from chain.machine.evm import bls12_381, modexp
from chain.machine.evm.kzg import POINT_EVALUATION
from chain.machine.evm.p256 import P256VERIFY
from chain.machine.hardforks import OSAKA, PRAGUE, Fork

Operations = Mapping[int, OpcodeAPI]
Precompiles = Mapping[bytes, Callable[[ComputationAPI], object]]

decode_transaction: Final = PragueTransactionBuilder().decode  # of every type and fork

CLZ: Final = 0x1E
_WORD: Final = 256  # bits


def _count_leading_zeros(computation: ComputationAPI) -> None:
    """Push how many bits are zero before the first one (EIP-7939)."""
    computation.stack_push_int(_WORD - computation.stack_pop1_int().bit_length())


def _read_word(computation: Any) -> None:
    computation.stack_push_int(computation.read_storage(computation.stack_pop1_int()))


def _write_word(computation: Any) -> None:
    if computation.get_gas_remaining() <= gas.SSTORE_SENTRY:
        raise OutOfGas("SSTORE")  # even if there are no words to take
    computation.write_storage(*computation.stack_pop_ints(2))


_PRAGUE_OPERATIONS: Final[Operations] = {
    **PRAGUE_OPCODES,
    # Words are read and written through the frame, as by Python contracts.
    opcode_values.SLOAD: as_opcode(_read_word, mnemonics.SLOAD, GAS_NULL),
    opcode_values.SSTORE: as_opcode(ensure_no_static(_write_word), mnemonics.SSTORE, GAS_NULL),
    # py-evm's own version warns that it is deprecated each time it runs.
    opcode_values.SELFDESTRUCT: as_opcode(
        ensure_no_static(selfdestruct_eip6780), mnemonics.SELFDESTRUCT, GAS_SELFDESTRUCT_EIP150
    ),
}
# By the fork that introduced them.
OPERATIONS: Final[Mapping[str, Operations]] = {
    PRAGUE.evm: _PRAGUE_OPERATIONS,
    OSAKA.evm: {**_PRAGUE_OPERATIONS, CLZ: as_opcode(_count_leading_zeros, "CLZ", gas.CLZ)},
}

_OWN: Final = {each.name: each for each in (POINT_EVALUATION, *bls12_381.PRECOMPILES, P256VERIFY)}
_THEIRS: Final[Mapping[object, Callable[..., object]]] = PRAGUE_PRECOMPILES
_BY_NAME: Final[Mapping[str, Callable[..., object]]] = {
    **{name: _THEIRS[address] for address, name in PRAGUE.precompiles.items()},
    **_OWN,
}
_MODEXP: Final[Mapping[str, Callable[..., object]]] = {
    PRAGUE.evm: modexp.BERLIN,
    OSAKA.evm: modexp.OSAKA,
}


def precompiles_of(fork: Fork) -> Precompiles:
    """Return the precompiled contracts of a fork by their addresses: our own, or else those of py-evm."""
    by_name = {**_BY_NAME, "MODEXP": _MODEXP[fork.evm]}
    return {address: by_name[name] for address, name in fork.precompiles.items()}
