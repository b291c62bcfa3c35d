"""Capacity units: how reads and writes are measured, and how they are reported.

`units` computes the units of items and pages, `consumed` makes ConsumedCapacity of a response, and
`charges` attributes units to partitions for meters and limits. Pure; which units an operation
consumes is decided in `operations`.
"""
