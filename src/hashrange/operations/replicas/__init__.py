"""Replicas of global tables in the operations on tables.

`updates` adds and removes replicas for UpdateTable, `descriptions` shows them, and `settings` makes
the changes of other settings in all replicas. What happens afterwards, the copying of items and the
replication of changes, is in `hashrange.replication` and `background.replicator`. Other operations
on global tables are in `operations.unbuilt`.
"""
