"""Consensus on the order of the writes of a strong table: Raft without input and output. Pure.

`raft.Raft` is one member of a group of three. It is notified of messages, ticks, proposals and of
what has been persisted, and says which messages to send, what to persist and which entries are
committed. `messages` has what members send to each other, `log` the entries, `state` what a member
knows, `saving` what waits for the disk, `elections`, `replicating` and `reading` the three parts of
the protocol. `writes` is what the entries of a table mean. It opens no socket and no engine and
reads no clock: the driver of the group does, and it is above this package.
"""
