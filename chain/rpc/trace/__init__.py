"""The `trace_…` methods in Parity's format, and the `ots_…` methods, by which the explorer Otterscan attaches."""
