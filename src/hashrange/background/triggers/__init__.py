"""Triggers: calls HTTP endpoints and functions with the changes of tables, as Lambda does.

`definitions` reads the operator's file. A `TriggerRunner` watches the streams of one table and
starts a consumer for each shard, which reads records, filters them (`patterns`), delivers batches
(`batches`, `destinations`) and stores how far it has come (`positions`). Begin with `runner`.
"""
