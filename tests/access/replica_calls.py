"""Calls for replicas and their auto scaling: a tenant makes none."""

# A replica shows all items in another region, where the tenant has no permission.


def replica_calls(table):
    """Methods of the client, and their requests from the world."""

    def updated(action, **more):
        updates = [{action: {"RegionName": "eu-west-1", **more}}]
        return "update_table", lambda _: {"TableName": table, "ReplicaUpdates": updates}

    west = [{"Create": {"RegionName": "eu-west-1"}}]
    strong = {"MultiRegionConsistency": "STRONG", "ReplicaUpdates": west}
    witness = {"GlobalTableWitnessUpdates": [{"Create": {"RegionName": "ap-south-1"}}]}

    off = {"ProvisionedWriteCapacityAutoScalingUpdate": {"AutoScalingDisabled": True}}
    joins = {
        "TableName": table,
        "GlobalTableSourceArn": f"arn:aws:dynamodb:eu-west-1:111111111111:table/{table}",
        "GlobalTableSettingsReplicationMode": "ENABLED",
    }
    return (
        ("create_table", lambda _: joins),
        updated("Create"),
        updated("Update", TableClassOverride="STANDARD"),
        updated("Delete"),
        ("update_table", lambda _: {"TableName": table, **strong, **witness}),
        ("describe_table_replica_auto_scaling", lambda _: {"TableName": table}),
        ("update_table_replica_auto_scaling", lambda _: {"TableName": table, **off}),
    )
