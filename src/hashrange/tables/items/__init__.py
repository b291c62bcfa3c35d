"""Stored items: their values, sizes of item collections, and changes of both.

Keys of items are in `hashrange.tables.keys`, who writes them in `hashrange.tables.writing`. Begin
with `images`.
"""
