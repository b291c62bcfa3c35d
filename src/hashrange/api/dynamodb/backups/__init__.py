"""Backups, restores and point-in-time recovery, as operations.

`create_backup` begins; `descriptions` is what answers say of a backup, `restored_tables` the
definition of a restored table. The items are copied by `background.backup_jobs`.
"""
