"""Texts of refusals for lack of capacity; `contention.hot_key` is that of tables on demand.

Source of the texts, unless said otherwise: captures of the service by users.
"""


def provisioned_table() -> str:
    """ProvisionedThroughputExceededException of a table, or of one of its partitions."""
    return (
        "The level of configured provisioned throughput for the table was exceeded. Consider "
        "increasing your provisioning level with the UpdateTable API."
    )


def provisioned_index() -> str:
    """ProvisionedThroughputExceededException for lack of units of an index."""
    return (
        "The level of configured provisioned throughput for one or more global secondary indexes "
        "of the table was exceeded. Consider increasing your provisioning level for the "
        "under-provisioned global secondary indexes with the UpdateTable API."
    )


def on_demand_index() -> str:
    """ThrottlingException of a write, for an index on demand, also for its own maximum."""
    return (
        "Throughput exceeds the current capacity for one or more global secondary indexes. "
        "DynamoDB is automatically scaling your index so please try again shortly."
    )


def on_demand_maximum() -> str:
    """ThrottlingException of a table or index with a maximum of its own."""
    return "Throughput exceeds the maximum OnDemandThroughput configured on table or index"


def account() -> str:
    """RequestLimitExceeded. Source: API reference of 2026; only its beginning was captured."""
    return (
        "Throughput exceeds the current throughput limit for your account. Please contact AWS "
        "Support at https://aws.amazon.com/support request a limit increase"
    )


def stream_reads() -> str:
    """ThrottlingException of GetRecords. Our choice: no record of the service exists."""
    return "Rate exceeded for shard reads; reduce the frequency of GetRecords on this shard"
