"""The ledger in the contracts' own words: fields, models, traces, names of addresses. Begin with `writes` and `trace`."""
