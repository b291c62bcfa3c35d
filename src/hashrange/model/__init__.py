"""The vocabulary of all layers: values, items, keys, tables, streams and change logs.

Values are checked and measured here; everything is pure. How these things are stored is in
`tables`, how requests use them in `operations`. Begin with `values` and `table`; `canonical` is
the check that every value of a request passes.
"""
