"""The embedded engine: one directory, or memory, behind SQLite with group commit.

A write goes from `engine` through `write_queue` to `committer`, which lets a `group` decide, writes
its `rows` and shows the commit (`database`, which has the connections); `recovery` opens them
anew after a failure, `maintenance` copies the WAL and gives pages back, `schema` and `conversion`
know the formats of the file. Begin with `committer`.
"""
