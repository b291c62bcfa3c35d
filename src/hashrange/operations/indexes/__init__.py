"""Secondary indexes in the operations on tables: definitions, changes, settings, descriptions.

Begin with `definitions`, which checks the indexes of a new table, then `updates` for
GlobalSecondaryIndexUpdates. Index entries are written in `hashrange.tables.indexes` and built in
`hashrange.background`; reads of indexes are the Query and Scan of `operations.items`.
"""
