"""Operations on tables as wholes: definitions, settings, tags, and the service's quotas.

Begin with `create_table`, and with `descriptions` for the structure that most of them answer.
The other modules have one setting each: billing, throughput, encryption, table class, time to
live. Secondary indexes are in `api.dynamodb.indexes`, the settings of streams in
`api.dynamodb.streams`.
"""
