"""Imports of objects: their records are read, checked, sorted and written to tables.

Begin with `reading`: the records of all objects of a job. `dynamodb_json`, `csv_rows` and
`ion_text` make items of them, from `lines` and pieces of `compression`. `filling` makes rows of
items and index entries, `sorting` brings them into the order of their keys, in files of `spools`.
`error_log` is notified of refused records.

Not here: the objects (`objects`), the requests (`api.dynamodb.imports`), the descriptions of jobs
(`tables.jobs.import_jobs`); `background.import_jobs` and `background.bulk_jobs` do the work.
"""
