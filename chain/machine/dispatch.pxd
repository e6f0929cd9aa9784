cimport cython
from chain.foundation.turn cimport begin_turn, end_turn, is_mine
from chain.machine.frame cimport Frame, TransactionContext
from chain.metering.fuel cimport abort_message, end_message, start_message


@cython.locals(data=bytes, locks=tuple)
cpdef run_call(Frame frame, program)
@cython.locals(context=TransactionContext)
cdef _run_entry(Frame frame, spec, entry, bytes data, tuple locks)
@cython.locals(context=TransactionContext, started=tuple, outer_locks=tuple)
cdef _run_fuelled(Frame frame, spec, entry, bytes data, tuple locks)
cpdef run_constructor(Frame frame, program, bytes args)
cdef _check(Frame frame, entry)
