cimport cython


cdef class _Items:
    cdef public object _changed, _layout, _positions, _slot, _stored, _words
    cdef public dict _rows

    cdef _index(self, index)
    cdef _read(self, index)
    cdef _read_row(self, index)
    cpdef pack(self)
    cpdef write(self, words, packed)
    @cython.locals(others=list, merged=dict)
    cdef _merge(self, words, base, bits, packed)


