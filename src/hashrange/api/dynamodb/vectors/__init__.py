"""SearchVectors.

Definitions of vector indexes are in `api.dynamodb.indexes.vectors`, searches
themselves in `hashrange.tables.vectors`.
"""
