from chain.machine.state cimport State


cdef class Machine:
    cdef object __weakref__
    cdef public State state
    cdef public object _evm, block_hash, loaded, mocks, programs
    cdef public dict _by_code
    cdef public bint debugs, evm_only, guards

    cpdef program_at(self, address)
