from chain.machine.state cimport State


cdef class Ledger:
    cdef object __weakref__
    cdef public State state
    cdef public object _keys, artifacts, blocks, creations, envelopes, event_types, events, foreign, headers, lock, open, past
    cdef public object programs, receipts, tail, timeline
    cdef public list before_cut, on_truncated
    cdef public bint _is_cutting

    cpdef append_alone(self, tuple row, changes)
