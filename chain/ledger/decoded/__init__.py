"""The ledger in the contracts' own terms: fields, models, traces, names of addresses. Begin with `writes` and `trace`."""
