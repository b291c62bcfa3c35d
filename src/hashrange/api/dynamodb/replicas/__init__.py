"""Replicas of global tables in the operations on tables.

`requests` has the structures of ReplicaUpdates, and `updates` adds, changes and removes replicas
for UpdateTable. Settings of one replica are in `overrides`, its key in `keys`; `settings` makes the
changes of other settings in all replicas, with what `shared` leaves of them. Auto scaling of global
tables is in `scaled`, and its operations in `auto_scaling`. `descriptions` shows replicas. What
happens afterwards, the copying of items and the replication of changes, is in
`hashrange.regions.replication` and `background.replicator`. Global tables of the version of 2017
are in `legacy_global_tables`.
"""
