"""Value types: the type that an annotation names, and the check that a value fits it.

`value_types` has a class for each type, `scalars` and `integers` those of one word, `base` what all have. `annotations` makes a
type from an annotation, `validation` explains a value that does not fit. May import `errors`, `source`, `crypto`. Begin with
`base`.
"""
