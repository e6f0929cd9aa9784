"""Values in 32-byte storage words: the layout of each type, and how it is packed, read and written.

`layout` maps a contract's fields to slots, `packing` puts small values into one word, `dynamic` stores lists and texts,
`vector`, `map` and `set` are the collections, and `collections` is the table of them. May import `abi`, `schema` and what is
below them. Begin with `layout`.
"""
