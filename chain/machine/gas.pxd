cpdef calldata_tokens(bytes data)
