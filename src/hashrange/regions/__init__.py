"""Tables in several regions: replicas that follow each other, and groups that agree on each write.

`replication/` has groups of replicas, `peers/` the servers of other regions, `consensus/` is Raft,
pure, and `strong/` runs the members of a strong table's group.
"""
