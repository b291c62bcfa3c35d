"""Kinesis data streams as rows: their definitions, their shards, their records.

Here are the rows and the pure changes of definitions; the operations are in
`hashrange.api.aws_services.kinesis`, and the task that removes old records is
`background.kinesis_trimmer`. Begin with `streams`, then `records`.

Records are not appended to logs of the engine, as those of the change log are: the answer to
PutRecord has the number of the record, and engines number the records of logs with their commit.
"""
