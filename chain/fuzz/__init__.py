"""Fuzzing of contracts: random calls of all entries, invariants checked after each, and the shortest calls that break one.

    class LockFuzz(Fuzz):
        contracts = (Lock,)

        @invariant
        def stays_shut(self):
            assert not self.handle.is_open()

    def test_lock_stays_shut():
        LockFuzz.run(max_examples=100)

Running needs Hypothesis; describing does not, so a game may carry a description as its module `fuzz`. `boardchain fuzz
contracts.deblockle` runs what it finds there, or else all entries of the contracts that the package has.
"""

from chain.fuzz.fuzz_case import (
    Fuzz,
    NoHypothesis,
    Proposal,
    by,
    invariant,
    proposes,
)

__all__ = ["Fuzz", "NoHypothesis", "Proposal", "by", "invariant", "proposes"]
