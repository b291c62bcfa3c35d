"""The rows of DAX's operations: those of the API, with the caches of a cluster in front of `run`.

A hit goes through all other steps of the pipeline as a miss does, so it is checked, authorised and
planned in the same way; it consumes no units. Begin with `rows`; which request uses which cache
stands in `hashrange.dax.cache.layer`.

An item that is read with a projection is read, kept and charged whole, since DynamoDB charges it
whole.
"""
