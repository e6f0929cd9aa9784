"""Methods that rewrite the chain: other blocks in place of the last ones, balances of tokens."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Address, Chain, Contract, Map, call, view
from chain.crypto.accounts import ACCOUNTS
from chain.rpc.errors import BAD_PARAMS, REFUSED
from chain.simulator.handle import Handle
from chain.types import u8, u256
from tests.chain.helpers import Code

ALICE, BOB, CAROL = ACCOUNTS[:3]


class Token(Contract):
    name_length: u8
    balances: Map[Address, u256]
    allowances: Map[tuple[Address, Address], u256]

    @view(name="balanceOf")
    def balance_of(self, account: Address) -> u256:
        return self.balances[account]

    @view
    def allowance(self, owner: Address, spender: Address) -> u256:
        return self.allowances[(owner, spender)]

    @call
    def mint(self, to: Address, amount: u256) -> None:
        self.balances[to] += amount


class Doubling(Contract):
    """A token that computes its figures."""

    halves: Map[Address, u256]

    @view(name="balanceOf")
    def balance_of(self, account: Address) -> u256:
        return self.halves[account] * 2


@pytest.fixture
def token(chain: Chain) -> Handle:
    return chain.deploy(Token)


# Other blocks


def test_blocks_are_replaced(chain: Chain, rpc: Any) -> None:
    chain.send(BOB, value=1)
    chain.mine(3)
    before, times = (
        [chain.block_hash(n) for n in range(5)],
        [each.timestamp for each in chain.blocks],
    )
    rpc("anvil_reorg", 2)
    after = [chain.block_hash(n) for n in range(5)]
    assert after[:3] == before[:3] and not {*after[3:]} & {*before[3:]}
    assert [each.timestamp for each in chain.blocks] == times
    assert len(chain.receipts) == 1 and chain.automine


def test_new_blocks_have_the_given_transactions(chain: Chain, rpc: Any) -> None:
    for _ in range(3):
        chain.send(BOB, value=1)
    raw = rpc(
        "eth_signTransaction", {"from": str(CAROL), "to": str(BOB), "value": "0x8", "gas": "0x5208"}
    )
    unsigned = {"from": str(ALICE), "to": str(CAROL), "value": "0x4"}
    rpc("anvil_reorg", 3, [[raw["raw"], 2], [unsigned, 0], [unsigned, 2]])
    assert [(each.block_number, each.value) for each in chain.receipts] == [(1, 4), (3, 8), (3, 4)]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ([9], "9 blocks cannot be replaced: there are 1"),
        ([0], "0 blocks cannot be replaced"),
        ([1, [[{}, 1]]], "there is no new block 1"),
        ([1, [[{}]]], "expected a transaction and its block, not 1 items"),
    ],
)
def test_wrong_replacements_are_refused(
    chain: Chain, rpc: Any, params: list[Any], words: str
) -> None:
    chain.send(BOB)
    before = chain.block_hash()
    no = rpc.refusal("anvil_reorg", *params)
    assert (no.code, no.message[: len(words)]) == (BAD_PARAMS, words)
    poor = {"from": str(ALICE), "to": str(BOB), "value": hex(10**30), "gas": "0x5208"}
    assert rpc.refusal("anvil_reorg", 1, [[poor, 0]]).message.startswith("insufficient funds")
    assert chain.block_hash() == before


# Tokens


def test_tokens_are_dealt(rpc: Any, token: Handle) -> None:
    token.mint(ALICE, 5)
    rpc("anvil_dealERC20", str(BOB), str(token.address), hex(10**20))
    rpc("anvil_dealERC20", str(ALICE), str(token.address), "0x5")
    rpc("anvil_setERC20Allowance", str(BOB), str(CAROL), str(token.address), "0x7")
    assert [token.balance_of(each) for each in (ALICE, BOB, CAROL)] == [5, 10**20, 0]
    assert (token.allowance(BOB, CAROL), token.allowance(CAROL, BOB)) == (7, 0)


def test_bytecode_tokens_are_dealt(chain: Chain, rpc: Any, evm: Code, initcode: Code) -> None:
    code = evm(3, "SLOAD", "POP", 4, "CALLDATALOAD", "SLOAD", 0, "MSTORE", 32, 0, "RETURN")
    address = chain.send(None, initcode(code)).address
    rpc("anvil_dealERC20", str(BOB), str(address), "0x9")
    assert (chain.storage(address, int.from_bytes(BOB)), chain.storage(address, 3)) == (9, 0)


def test_tokens_that_compute_are_refused(chain: Chain, rpc: Any) -> None:
    address = str(chain.deploy(Doubling).address)
    no = rpc.refusal("anvil_dealERC20", str(BOB), address, "0x9")
    assert no.code == REFUSED and "computes or packs figures" in no.message
    assert "not an ERC-20" in rpc.refusal("anvil_dealERC20", str(BOB), str(CAROL), "0x9").message


# What is set before a block opens


def test_last_block_has_what_was_set_after_it(chain: Chain, rpc: Any) -> None:
    chain.automine = False
    poor = Address("0x" + "0b" * 20)
    chain.set_balance(poor, 10**18)
    chain.send(BOB)
    paying = {"from": str(poor), "to": str(BOB), "value": "0x1"}
    tracer = {"tracer": "callTracer"}
    assert "error" not in rpc("debug_traceCall", paying, "latest", tracer)
    assert rpc("eth_getBalance", str(poor), "latest") == hex(10**18)
