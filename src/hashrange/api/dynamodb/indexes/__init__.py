"""Secondary indexes in the operations on tables: definitions, changes, settings, descriptions.

Begin with `definitions`, which checks the indexes of a new table, then `updates` for
GlobalSecondaryIndexUpdates. Index entries are written in `hashrange.tables.opened.indexes` and
built in `hashrange.background`; reads of indexes are the Query and Scan of `api.dynamodb.items`.
"""
