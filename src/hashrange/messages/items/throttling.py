"""Texts of refusals for lack of capacity; `contention.hot_key` is that of tables on demand.

Source of the texts, unless said otherwise: captures of the service by users.
"""

from hashrange.messages.text import Text

# ProvisionedThroughputExceededException of a table, or of one of its partitions.
provisioned_table = Text("The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.")
# ProvisionedThroughputExceededException for lack of units of an index.
provisioned_index = Text("The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API.")
# ThrottlingException of a write, for an index on demand, also for its own maximum.
on_demand_index = Text("Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is automatically scaling your index so please try again shortly.")
# ThrottlingException of a table or index with a maximum of its own.
on_demand_maximum = Text("Throughput exceeds the maximum OnDemandThroughput configured on table or index")
# RequestLimitExceeded. Source: API reference of 2026; only its beginning was captured.
account = Text("Throughput exceeds the current throughput limit for your account. Please contact AWS Support at https://aws.amazon.com/support request a limit increase")
# ThrottlingException of GetRecords. Our choice: no record of the service exists.
stream_reads = Text("Rate exceeded for shard reads; reduce the frequency of GetRecords on this shard")
