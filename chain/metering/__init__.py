"""Metering: what makes a contract end, and behave the same everywhere.

A contract runs on its author's own functions. When a class is first deployed, `reach` follows it to every function, class and
value that it names; each of these functions gets a code object with ticks (`analysis`, `ticks`, `fuel`); the values that
outlive a call refuse to be changed by a message (`constants`). `digest` is the identity of all this, `kept` what is needed to
run it in another process. Begin with `program`, then `build`.
"""
