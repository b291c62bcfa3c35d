"""The DAX endpoint: connections of DAX clients, whose calls go through the pipeline.

Here: sockets and their bounds, signatures of connections, attribute lists in the engine, and the
execution of calls. Not here: the bytes of the protocol (`hashrange.dax.protocol`).
Begin at `service`: what a connection does with each call. Caches go between `service` and
`execution`, as another `Execute`.
"""
