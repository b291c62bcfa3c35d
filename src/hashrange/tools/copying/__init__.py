"""Copies tables between places, and loads and dumps files of items, with operations of the API.

A `Place` is one end of a copy: a server (`endpoint`), or a data directory or database (`local`).
`copy` decides which tables are copied and compares them afterwards, `items` moves the items, and
`progress` lets an interrupted copy continue. `seeding` and `seed_files` are for single files. The
command line is in `cli`. Begin with `copy` and `place`.
"""
