"""The engine on PostgreSQL: rows have versions, and one statement compares them and writes.

A write passes `engine`, `write_scheduler` (forms groups), `group_executor` (reads, decides and
writes a group) and `pool` (connections and errors). `read_groups` forms groups of reads.
`statements` has all SQL, `schema` the tables; `reading_rows` and `restoring_rows` are for backups.
Several servers may share one database. Begin with `engine`.
"""
