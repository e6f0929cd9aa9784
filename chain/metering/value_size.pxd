cdef bint _are_brief(parts) except -1
cdef long long _walk(value, parts, bint is_written=*) except? -1
