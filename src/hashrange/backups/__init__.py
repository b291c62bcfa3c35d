"""Copies of items outside their tables: backups, exports, imports, and the objects they consist of.

`tables/` has the items of backups of one table, `directories/` backups of a whole data directory or
database, `exports/` and `imports/` the files of S3, `objects/` the buckets. The jobs are in
`hashrange.background`.
"""
