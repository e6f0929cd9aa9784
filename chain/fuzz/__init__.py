"""Fuzzing of contracts: random calls of all entries, invariants checked after each call, and the shortest failing calls.

    class LockFuzz(Fuzz):
        contracts = (Lock,)

        @invariant
        def stays_shut(self):
            assert not self.handle.is_open()

    def test_lock_stays_shut():
        LockFuzz.run(max_examples=100)

A game may include a description as its module `fuzz`. The command `boardchain fuzz contracts.deblockle` runs the descriptions
of that package; without any, it calls all entries of its contracts.
"""

from chain.fuzz.fuzz_case import Fuzz, Proposal, by, invariant, proposes

__all__ = ["Fuzz", "Proposal", "by", "invariant", "proposes"]
