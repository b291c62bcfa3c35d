"""Streams: views of a table's change log for clients and triggers.

A stream is a range of shards of the change log. This package finds streams, names them (ARNs, shard
ids, sequence numbers, iterators), reads their records and trims old ones. Records are written by
`tables`; the operations of the streams API are in `api.dynamodb.streams`. Begin with `finding` and
`reading`.
"""
