"""The layer: catalog, keyspace, reader and the one writer."""
