cimport cython
from chain.foundation.atomic_steps cimport Steps
from chain.ledger.blocks cimport empty_block
from chain.ledger.ledger cimport Ledger
from chain.machine.machine cimport Machine
from chain.machine.state cimport State
from chain.simulator.block_time cimport time_of_next_block


cdef class Driver(Steps):
    cdef public Ledger ledger
    cdef public Machine machine
    cdef public State state


cdef class ChainDriver(Driver):
    cdef public object automine, block_interval, clock, held, wall
    cdef public dict keys, overrides
    cdef tuple _viewed

    @cython.locals(ledger=Ledger)
    cpdef next_block(self)
