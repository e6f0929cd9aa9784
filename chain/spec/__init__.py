"""What declarations mean: contracts, entries, models, events and errors as frozen descriptions.

`decorators` marks, `class_reader` checks a class and describes it, `contracts` has the description. May import `storage`,
`abi`, `schema` and what is below them. Begin with `contracts`.
"""
