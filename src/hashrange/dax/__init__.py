"""DynamoDB Accelerator: the protocol of its clients, the caches, and who asks through them.

`protocol/` has calls as bytes and as requests of the API, `cache/` the caches, `cached/` the
operations with caches in front, `upstream/` another endpoint behind them.
"""
