cimport cython


cdef class _Items:
    cdef public object _base, _changed, _layout, _length, _slot, _stored, _words
    cdef public dict _items, _rows

    cdef _index(self, index)
    cdef _read(self, index)
    cpdef list pack(self)
    cpdef write(self, words, list packed)
    @cython.locals(others=list, merged=dict)
    cdef _merge(self, words, base, bits, list packed)


