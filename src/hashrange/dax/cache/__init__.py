"""The caches of a DAX cluster: items by key, and pages of Query and Scan by parameters.

Here are the entries, with their times to live and a bound of bytes, and the rule that a read never
overwrites a newer write. There is no protocol, table, engine or clock: values are opaque, and the
time is an argument. Begin with `layer`, the caches in front of a source: `dax.cached` and
`upstream` are the two. `caches` has the rules, `entries` the memory, and `reading` joins reads of
missing keys.
"""
