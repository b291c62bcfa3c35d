"""Archives: the items of tables that expired, as Parquet files by table and date.

`objects` names the objects and makes them; `shards` reads the deletions in a shard of a change log,
and moves the reader that keeps the log until they are stored. The task that does the work is
`background.archiver`; `tools.archives` reads archives.
"""
