cimport cython


cdef class CachedValue:
    cdef readonly object value, version
    cdef readonly dict words
    cdef readonly set heads


cdef class ValueCache:
    cdef object _is_exact, _layout
    cdef readonly dict _known
    cdef tuple _looked

    @cython.locals(entry=CachedValue)
    cpdef load(self, frame, slot)
    @cython.locals(entry=CachedValue, written=dict)
    cpdef change(self, frame, slot, before, after)
    cdef dict _write(self, frame, slot, before, after)
    cdef bint _is_current(self, frame, CachedValue known)
    cdef _keep(self, tuple place, CachedValue known)
    cdef CachedValue _read(self, frame, slot)
    cdef bint _reads_same_slots(self, CachedValue known, slot, dict written)


cdef class _Reader:
    cdef object _storage, _data_slot
    cdef dict words
    cdef set heads

    cpdef sload(self, slot)
    cpdef data_slot(self, slot)


cdef class _Writer:
    cdef object _frame
    cdef readonly object sload, data_slot
    cdef dict written

    cpdef sstore(self, slot, word)
