"""Parts of the definitions of tables, which requests on tables, indexes and replicas share.

Each module has a setting: its constraints, its checks, and how it is described. The requests are in
`hashrange.api.dynamodb.tables` and its neighbours. Begin with `throughput`.
"""
