cimport cython


cdef class Budget:
    cdef public long long fuel, ticks, metering_depth


cdef class MeteredMessage:
    cdef public Budget context
    cdef public long long gas, ticks


cdef class _Levels:
    cdef readonly object down, up
    cdef readonly list remaining


cdef object _length, _small, _larger, _all_tanks, _ENDLESS, _EMPTY
cdef list _levels

@cython.locals(whole='long long', half='long long')
cpdef long long remaining()
cdef _remaining_halves()
@cython.locals(of_4='long long', of_8='long long', of_16='long long', of_32='long long', of_64='long long')
cdef long long _in_larger_tanks()
@cython.locals(singles='long long')
cpdef set_fuel(long long ticks)
cpdef _distribute(halves)
@cython.locals(levels=_Levels)
cdef _use_levels(Py_ssize_t depth)
@cython.locals(of_4='long long', of_8='long long', of_16='long long', of_32='long long', of_64='long long')
@cython.locals(context=Budget, first=_Levels, limit='long long', singles='long long')
cpdef tuple start_message(MeteredMessage frame)
@cython.locals(depth='long long', most='long long', ticks='long long')
cdef tuple _start_nested_message(Budget context, long long limit)
@cython.locals(of_4='long long', of_8='long long', of_16='long long', of_32='long long', of_64='long long')
@cython.locals(context=Budget, rest='long long', limit='long long', used='long long')
cpdef end_message(MeteredMessage frame, tuple started)
cpdef abort_message(MeteredMessage frame, tuple started, problem)
