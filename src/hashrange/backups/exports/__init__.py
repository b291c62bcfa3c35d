"""Exports of tables to S3: what is read, and the objects that are made of it.

`begun` describes an export and its snapshot, `pages` reads items of a full export and net changes
of an incremental one. `lines` and `ion_text` write items in the two formats, `data_files`
compresses them into objects, `manifests` has names and contents of the objects beside them. Begin
with `begun`, then `data_files`.

Not here: the requests and their FilterSpecification (`api.dynamodb.exports`), the task that does
the work (`background.export_jobs`), buckets (`objects`).
"""
