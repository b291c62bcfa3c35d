"""The change log: its records and shards, and the tombstones of deleted items.

Streams read it (`hashrange.tables.streams`), and so do replicas, exports and recovery. Begin with
`change_log`.
"""
