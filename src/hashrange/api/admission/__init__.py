"""Admission: which requests of a server with `--throttle on` have capacity.

The step "admit" of a request is `api.steps.gate`. It applies the pure model of
`hashrange.capacity` to the capacity of tables, which `entries` makes of catalog entries and
`stored` keeps in a row of the engine. A server of one process keeps it in memory (`own_tables`)
and stores it from time to time; processes that share an engine get allowances from the row
(`shared_tables`). `stream_reads` limits reads of streams.

Not here: how units, buckets and partitions behave, which is `hashrange.capacity`; what an operation
costs, which is `hashrange.api.dynamodb`. Begin with `capacities`, then `own_tables`.
"""
