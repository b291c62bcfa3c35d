"""The API's verbs: one module and one row, an `Operation`, for each.

`registry` is the one table of operations. `pipeline/` has the steps that each request goes
through; begin with `pipeline/pipeline.py`, then read `items/get_item.py`, the shortest operation
on items. The other packages have the verbs by subject, and what the verbs of one subject share.
Items and indexes are read and changed in `hashrange.tables`; bytes of the wire are decoded in
`hashrange.wire`.
"""
