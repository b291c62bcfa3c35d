"""Sinks: targets that receive the items of tables, and then each change of them.

A sink reads a table through the API: its stream, and its items page by page between two reads of
the stream, so that no item goes back to an older state (`reading`, `streams`). `positions` says how
far it has come, `replication` moves changes to a target and stores the position behind them, and
the other modules are targets. Begin with `changes`, then `replication`. The command is in `cli`.
"""
