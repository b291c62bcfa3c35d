"""Storage engines: durable, ordered maps of bytes with atomic writes.

`engine` defines the protocol and its errors; `sqlite`, `postgres` and `workers` implement it. An
engine knows nothing of items, indexes or streams, which `tables` stores as keys and values. The
modules here are shared by the engines. Begin with `engine`; `hashrange.assembly.engines.trials`
tries its contract.
"""
