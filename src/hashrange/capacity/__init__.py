"""Capacity units, and the model of what a table can serve. Pure.

`units` computes the units of items and pages, `consumed` makes ConsumedCapacity of a response, and
`charges` attributes units to partitions. `limiter` decides which charges are admitted: begin there
for the model, whose buckets, partitions and auto scaling have modules of their own. Which units an
operation consumes is decided in `operations`.
"""
