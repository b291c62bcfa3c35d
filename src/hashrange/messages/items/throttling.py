"""Texts of refusals for lack of capacity, for contention, and for lack of a majority of regions.

Source of those for lack of capacity, unless said otherwise: captures of the service by users.
"""

from collections.abc import Sequence

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


# ThrottlingException of a table on demand. Verified.
hot_key = Text("Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html", 283)
# ThrottlingException of operations on tables. Source: Developer Guide, "Error messages".
too_many_changes = Text("Rate exceeded")


# ReplicatedWriteConflictException. Verified.
conflict = Text("One or more items in this request are being modified by a request in another Region.", 284)


def no_majority(silent: Sequence[str] = ()) -> str:
    """ServiceUnavailable: too few regions answer, and nothing was written. Our own."""
    missing = f": no answer from {', '.join(silent)}" if silent else ""
    return f"Too few of the Regions of the table can be reached to read or write it with strong consistency{missing}. Nothing was written."


# ServiceUnavailable of a process that does not run the logs of strong tables. Our own.
not_led_here = Text("This server does not lead the others on its database, so it cannot read or write a table with strong consistency across Regions. Nothing was written.")
