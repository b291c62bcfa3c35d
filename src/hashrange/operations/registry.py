"""The one table of operations: what the server answers, and what everything that lists reads."""

from typing import Final

from hashrange.operations import (
    batch_get_item,
    batch_write_item,
    create_table,
    delete_item,
    delete_table,
    describe_continuous_backups,
    describe_endpoints,
    describe_limits,
    describe_table,
    get_item,
    list_tables,
    put_item,
    query,
    scan,
    tags,
    time_to_live,
    transact_get_items,
    transact_write_items,
    update_item,
    update_table,
)
from hashrange.operations.operation import Operation

OPERATIONS: Final[dict[str, Operation]] = {
    "BatchGetItem": batch_get_item.OPERATION,
    "BatchWriteItem": batch_write_item.OPERATION,
    "CreateTable": create_table.OPERATION,
    "DeleteItem": delete_item.OPERATION,
    "DeleteTable": delete_table.OPERATION,
    "DescribeContinuousBackups": describe_continuous_backups.OPERATION,
    "DescribeEndpoints": describe_endpoints.OPERATION,
    "DescribeLimits": describe_limits.OPERATION,
    "DescribeTable": describe_table.OPERATION,
    "DescribeTimeToLive": time_to_live.DESCRIBE_TIME_TO_LIVE,
    "GetItem": get_item.OPERATION,
    "ListTables": list_tables.OPERATION,
    "ListTagsOfResource": tags.LIST_TAGS_OF_RESOURCE,
    "PutItem": put_item.OPERATION,
    "Query": query.OPERATION,
    "Scan": scan.OPERATION,
    "TagResource": tags.TAG_RESOURCE,
    "TransactGetItems": transact_get_items.OPERATION,
    "TransactWriteItems": transact_write_items.OPERATION,
    "UntagResource": tags.UNTAG_RESOURCE,
    "UpdateItem": update_item.OPERATION,
    "UpdateTable": update_table.OPERATION,
    "UpdateTimeToLive": time_to_live.UPDATE_TIME_TO_LIVE,
}
