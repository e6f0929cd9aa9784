cimport cython
from chain.machine.state cimport State

cdef long long COLD_ACCOUNT, COLD_SLOAD, LOG, LOG_BYTE, LOG_TOPIC, REFUND_CLEAR, SSTORE_RESET, SSTORE_SENTRY, SSTORE_SET, WARM


from chain.metering.fuel cimport Budget, MeteredMessage


cdef class TransactionContext(Budget):
    cdef public object machine, block, origin, nonce, gas_price, blob_versioned_hashes, undone_changes, undone_logs, forced_random, evm
    cdef public tuple reentrancy_locks
    cdef public frozenset open_models
    cdef public long long refund, random_streams


cdef class Frame(MeteredMessage):
    cdef public object address, caller, code_address, data, entry, failure, kind, output, program, result, storage, value
    cdef public State state
    cdef public dict warm
    cdef public tuple besides
    cdef public list children, view_logs
    cdef public long long depth, gas_limit
    cdef public bint static

    cpdef charge(self, long long gas)
    cpdef finish(self)
    @cython.locals(gas='long long')
    cpdef sload(self, slot)
    cpdef bint read_if_unchanged(self, dict words, version)
    cpdef bint storage_matches(self, dict words)
    @cython.locals(gas='long long', state=State)
    cpdef sstore(self, slot, word)
    @cython.locals(context=TransactionContext)
    cdef long long _price_of_change(self, original, current, word)
    cpdef data_slot(self, slot)
    cpdef map_slot(self, slot, key)
    cpdef nested_slot(self, slot, outer, inner)
    cpdef emit(self, tuple topics, data, event=*)
    cpdef touch(self, address)
