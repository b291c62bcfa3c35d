"""Servers that hold other regions: calls between them, and global tables across them.

A call is bytes to a region and bytes back: `calls` has its form, `signing` its signature, `client`
sends it over HTTP, `endpoint` answers it. `messages` are what replication sends, `receiving`
answers them on this server. `background.replicator` sends.
"""
