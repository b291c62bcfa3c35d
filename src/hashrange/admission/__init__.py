"""Admission: which requests of a server with `--throttle on` have capacity.

`gate` is the step of the pipeline. It uses the pure model of `hashrange.capacity` on tables whose
capacity is made of their catalog entries by `entries`, and kept in a row of the engine by `stored`.
A server of one process keeps it in memory (`own_tables`) and stores it from time to time; processes
that share an engine lend from each other through the row (`shared_tables`). `stream_reads` limits
reads of streams.

Not here: how units, buckets and partitions behave, which is `hashrange.capacity`; what an operation
costs, which is `hashrange.operations`. Begin with `gate`.
"""
