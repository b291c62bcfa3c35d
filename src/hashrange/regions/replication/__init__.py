"""Replication of global tables between the regions of one server.

`groups` changes the group of replicas, in the catalog entries of all of them at once. `following`
reads the changes in the log of one replica and writes them to another; where it goes on is in
`positions`. `background.replicator` calls them. How the writes of several regions are ordered is in
`tables.writing.replicated`; requests that add and remove replicas are in `api.dynamodb.replicas`.
`members` runs members of the groups of strong tables, which no request makes yet.
"""
