"""Backups and restores: where items are read from, and where they are stored.

Begin with `items`: the pages of a copy, and where an interrupted copy goes on. `making` stores the
items of a backup, `restoring` those of a restored table. Their descriptions are in
`tables.jobs.backups`, the requests in `api.dynamodb.backups`, and `background.backup_jobs` does the
work.
"""
