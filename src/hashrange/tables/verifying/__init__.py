"""Compares what is stored with itself, for `hashrange verify`.

Each module compares rows of some key spaces; `hashrange.tables.keys.key_spaces` says of which.
Begin with `verify`.
"""
