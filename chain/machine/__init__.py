"""The machine: one state, one set of transaction rules, two roads through them."""
