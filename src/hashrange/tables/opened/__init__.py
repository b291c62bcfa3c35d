"""Open tables: what reads and writes know of one, its indexes, and how its items are read.

Begin with `open_table`, then `reader`.
"""
