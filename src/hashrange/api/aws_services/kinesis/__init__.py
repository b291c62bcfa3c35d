"""Kinesis Data Streams on the port: its operations, one module for each kind.

The rows of streams and records are in `hashrange.tables.kinesis`; what policies must allow is in
`backend`. Begin with `service`, then `requests`.
"""
