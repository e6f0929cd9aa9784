"""Types of values: what an annotation means, and whether a value fits it.

`value_types` has a class for each type, `annotations` makes one from an annotation, `validation` explains a value that does
not fit. May import `types`, `errors`, `source`, `crypto`. Begin with `value_types`.
"""
