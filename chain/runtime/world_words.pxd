from chain.machine.frame cimport Frame


cpdef namespace_of(Frame words, system)
cpdef bint is_writer(Frame words, namespace, model, system) except -1
cpdef bint is_registered(Frame words, system) except -1


cdef class BorrowedWords:
    cdef Frame _frame, _words
    cdef readonly object data_slot

    cpdef sload(self, slot)
