cdef class _Turn:
    cdef object owner
    cdef tuple outside


cdef _Turn _turn

cpdef bint is_mine()
cpdef begin_turn()
cpdef end_turn()
