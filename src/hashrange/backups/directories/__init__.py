"""Backups of a whole data directory or database: `hashrange backup`, `restore`, `--backup-every`.

The data file is kept in chunks whose names are the hashes of their contents, so that a chunk that
is there already is not stored again; a manifest, stored last, makes a backup of them. `manifests`
has the form, `target` the place, `storing` and `fetching` the two directions, `retention` the
rule by which old backups go, `requests` how a command asks the server that has the directory.

Of a database, `row_chunks` cuts the rows into chunks, `storing_rows` and `loading_rows` are the two
directions.

Not here: on-demand backups of tables (`backups`), and how the data file is kept from changing
meanwhile (`storage.sqlite.frozen`). Begin with `manifests`, then `storing`.
"""
