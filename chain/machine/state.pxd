from chain.storage.slots cimport Slots


cdef class State:
    cdef public object accounts, storages, words_version, closed
    cdef public Slots slots
    cdef public dict access, codes
    cdef public list changes, logs, recent, access_journal

    cpdef tuple mark(self)
    cpdef tuple close(self)
    cpdef account(self, address)
    cpdef set_account(self, address, tuple account)
    cpdef refund_fee(self, sender, tuple prepaid, amount)
    cpdef bint warm_address(self, address)
