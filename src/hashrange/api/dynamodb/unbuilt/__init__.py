"""Features that this server does not have: reads find nothing, the rest is refused.

Clients and infrastructure tools read such settings of each table, so the reads answer as
DynamoDB does for an account that never used the feature. `parameters` refuses members of
requests that are not supported. A module moves out of here once its feature is built.
"""
