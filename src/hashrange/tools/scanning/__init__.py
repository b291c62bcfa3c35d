"""Reads and changes all items of a table, on any endpoint, with operations of the API.

`segments` reads a table in parallel, at the pace of `pacing`; `jobs` adds checkpoints, so that work
that was killed continues. `scan` writes items to a file (`outputs`, `columns`), `changes` updates
or deletes them, `counting`, `sampling`, `sizes` and `diff` are about them, and `masking` replaces
personal data. Functions return data; the commands are in `cli`. Begin with `segments` and `jobs`.
"""
