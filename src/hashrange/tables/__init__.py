"""Tables, items, indexes and change logs, stored as keys and values of an engine.

`keyspace` and `system_keys` define every key, `images` and `change_log` the values. `catalog` holds
the definitions of tables, `dropped_tables` those of tables that are gone, `reader` reads items, and
`writer` is the only module that changes them, with their index entries, counters and change
records. `verify` compares all of it. Requests and their errors are in `operations`. Begin with
`keyspace`, `opened` and `writer`.
"""
