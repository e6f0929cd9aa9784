"""Fields and collections in 32-byte storage words.

`fields` maps a contract's fields to slots, where value types store themselves (`chain.values`); `vector`, `map` and `set` are
the collections, `collections` is the table of them, and `remembered` has big values that were changed. May import `abi`,
`values` and what is below them. Begin with `fields`.
"""
