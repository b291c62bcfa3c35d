"""The rows of DAX's operations: those of the API, with the caches of a cluster in front of `run`.

A hit goes through all other steps of the pipeline as a miss does, so it is checked, authorised and
planned in the same way; it consumes no units. Which cache serves an operation, and what a write
leaves in it, stands in `hashrange.dax_cache.decisions`. Begin with `rows`.
"""
