"""Objects in buckets of S3: what exports write, imports read, and backups of databases are kept in.

A bucket is a directory (`directory`) or lies behind an API of S3 (`s3`); both keep the protocol in
`bucket`. `buckets` opens those that the setting `--s3` names. `object_keys` says which keys a
directory can hold, `digests` computes MD5 and ETag of what is stored.

Not here: what the objects contain (`exports`, `imports`), and which caller may use a bucket
(`api.authorization`). Begin with `bucket`, then `buckets`.
"""
