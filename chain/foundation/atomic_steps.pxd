cdef class Steps:
    cdef public object lock, observer
    cdef public tuple begun, scopes
    cdef public bint is_copy
