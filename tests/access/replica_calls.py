"""Calls for replicas and their auto scaling: a tenant makes none."""

# A replica shows all items in another region, where the tenant has no permission.


def replica_calls(table):
    """Methods of the client, and their requests from the world."""

    def updated(action, **more):
        updates = [{action: {"RegionName": "eu-west-1", **more}}]
        return "update_table", lambda _: {"TableName": table, "ReplicaUpdates": updates}

    off = {"ProvisionedWriteCapacityAutoScalingUpdate": {"AutoScalingDisabled": True}}
    return (
        updated("Create"),
        updated("Update", TableClassOverride="STANDARD"),
        updated("Delete"),
        ("describe_table_replica_auto_scaling", lambda _: {"TableName": table}),
        ("update_table_replica_auto_scaling", lambda _: {"TableName": table, **off}),
    )
