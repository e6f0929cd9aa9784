"""Declarations as data: frozen descriptions of contracts, entries, models, events and errors.

`decorators` marks, `class_reader` checks a class and describes it, `contracts` has the description. May import `storage`,
`abi`, `values` and what is below them. Begin with `contracts`.
"""
