"""Backups and restores: where items are read from, and where they are stored.

Begin with `items`: the pages of a copy, and where an interrupted copy goes on. `making` stores the
items of a backup, `restoring` those of a restored table. Their descriptions are in
`tables.backups`, the requests in `operations.backups`, and `background.backup_jobs` does the work.
"""
