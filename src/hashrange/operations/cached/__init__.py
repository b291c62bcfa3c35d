"""The rows of DAX's operations: those of the API, with the caches of a cluster in front of `run`.

A hit goes through all other steps of the pipeline as a miss does, so it is checked, authorised and
planned in the same way; it consumes no units. Begin with `rows`.

| operation | eventually consistent | strongly consistent | leaves in the item cache |
|---|---|---|---|
| gets, each key by itself | item cache | the table | what was read of the table |
| Query, Scan | query cache | the table | nothing |
| TransactGetItems | | the table | nothing |
| puts and deletes, single and in batches | | the table | the new image, or that there is none |
| UpdateItem | | the table | the new image if the answer has all of it, else no entry |
| TransactWriteItems | | the table | no entry; then what TransactGetItems reads |

An item that is read with a projection is read, kept and charged whole, since DynamoDB charges it
whole. Only successful writes change the item cache.
"""
