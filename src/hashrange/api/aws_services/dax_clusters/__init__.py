"""Clusters of DAX: the operations of AmazonDAXV3, and the nodes that listen.

Here are the operations on clusters, their nodes, parameter groups, subnet groups, events and tags,
their rows in the engine, and the runner that starts and stops what the rows say. HTTP is in
`backend`, the protocol that nodes speak in `hashrange.dax.protocol`, and
the caches of a cluster in `hashrange.dax.cache`. Begin with `rows`, then `service`, then `runner`.
"""
