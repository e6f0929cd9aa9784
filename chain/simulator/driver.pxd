cimport cython
from chain.foundation.atomic_steps cimport Steps
from chain.machine.machine cimport Machine
from chain.machine.state cimport State


cdef class Driver(Steps):
    cdef public object ledger
    cdef public Machine machine
    cdef public State state


cdef class ChainDriver(Driver):
    cdef public object automine, block_interval, clock, held, wall
    cdef public dict keys, overrides

    cpdef next_block(self)
