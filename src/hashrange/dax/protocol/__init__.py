"""DAX: the binary protocol of DynamoDB Accelerator's clients, as bytes and values: pure.

Here: the bytes of a connection as requests (`session`), the table of methods (`methods`), requests
of DAX as those of the API (`single_items`, `batches`, `pages`, `transactions`), answers and errors
as bytes (`answers`, `faults`).
Not here: CBOR (`wire/cbor`), sockets and where requests are executed (`server/dax`), and caches
(`dax/cache`).
Begin at `methods`: a row is a method with its decoder and its operation.
"""
