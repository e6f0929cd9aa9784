cdef class Slots:
    cdef object _origin, _stored, _sought
    cdef list _asked, _rising, _new
    cdef dict _added, _nested, _preimages
    cdef readonly dict contents, mapped

    cpdef content_slot(self, slot)
    cpdef map_slot(self, slot, bytes key)
    cpdef nested_slot(self, slot, outer, inner)
    cdef _remember(self, slot, parent, key)


cpdef hashed(parent, bytes key)
