"""Metering: the instrumented copy of a contract that runs on chain and pays for its own computing.

A copy is compiled from the author's source, from only the parts that the contract reaches, with ticks in every loop iteration
and at every function entry (`insert_ticks`, `fuel`), in modules of its own (`module_copies`). File names and line numbers are
those of the source, so tracebacks, debuggers and coverage work as usual. A digest of the same syntax is the contract's code
(`digest`). Records, enums and errors of a copy are counterparts of the author's (`counterparts`). May import `spec`, `guard`,
`source` and what is below them. Begin with `program`, then `build`.
"""
