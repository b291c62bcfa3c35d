"""Stored descriptions of work: backups, exports, imports, bulk operations, scalable targets.

The work itself is in `hashrange.background`. Begin with `descriptions`, then `jobs`.
"""
