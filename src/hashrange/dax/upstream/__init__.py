"""The caches of DAX in front of any endpoint that speaks DynamoDB: the upstream.

Here: operations sent to the upstream as signed JSON over HTTP, its tables' keys, and the item and
query caches in front. Not here: the protocol of DAX (`dax`, `server.dax`), and the caches
themselves (`dax_cache`). Begin at `performing`: an operation and what performs it. `client` has
retries and deadlines, `connection` the bytes, `refusals` what errors mean.
"""
