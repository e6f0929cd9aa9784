cpdef empty_block(rules, number, timestamp, base_fee, coinbase, timeline_index=*, receipt=*, excess_blob_gas=*)
