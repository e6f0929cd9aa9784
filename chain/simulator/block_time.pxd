cpdef time_of_next_block(clock, last_block, interval)
