"""Tables as they were at one moment, read while they are written.

Backups, exports and replicas copy them (`hashrange.backups`). Begin with `snapshots`.
"""
