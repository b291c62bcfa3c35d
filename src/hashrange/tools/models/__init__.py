"""Models: tables, entities with key templates, access patterns and samples, in files of many forms.

`schema` has the model, `document` its own form in TOML and JSON. The other modules read and write
the forms of other programs. Begin with `reading` and `writing`; `checking` runs a model.
"""
