"""What UpdateTable needs in the regions of the members that it adds and removes.

Source: Service Authorization Reference, "Actions, resources, and condition keys for Amazon
DynamoDB".
"""

import msgspec
import pytest

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.steps.accesses import Access, Resource

T = "a-table"
ON_TABLE = Access("UpdateTable", Resource("table", T))
TO_CREATE = (
    *("CreateTable", "CreateTableReplica", "Query", "Scan", "UpdateItem", "PutItem", "GetItem"),
    *("DeleteItem", "BatchWriteItem"),
)
TO_DELETE = ("DeleteTable", "DeleteTableReplica")


def accesses(**request):
    row = OPERATIONS["UpdateTable"]
    return list(row.accesses(row.check(msgspec.convert({"TableName": T, **request}, row.request))))


def actions(kind, *regions):
    return [{kind: {"RegionName": region}} for region in regions]


def in_region(region, *names):
    return [Access(name, Resource("replica", T, region=region)) for name in names]


@pytest.mark.parametrize(("kind", "needed"), [("Create", TO_CREATE), ("Delete", TO_DELETE)])
def test_one_replica(kind, needed):
    found = accesses(ReplicaUpdates=actions(kind, "eu-west-1"))
    assert found == [ON_TABLE, *in_region("eu-west-1", *needed)]


def test_a_replica_that_is_disassociated():
    update = {"RegionName": "us-east-1", "DisassociationMode": "WAIT_FOR_REPLICATION"}
    found = accesses(ReplicaUpdates=[{"Disassociate": update}])
    assert found == [ON_TABLE, *in_region("us-east-1", "DisassociateTableReplica")]


@pytest.mark.parametrize(("kind", "needed"), [("Create", TO_CREATE), ("Delete", TO_DELETE)])
def test_two_replicas_of_a_strong_table(kind, needed):
    consistency = {"MultiRegionConsistency": "STRONG"} if kind == "Create" else {}
    found = accesses(ReplicaUpdates=actions(kind, "eu-west-1", "us-east-2"), **consistency)
    assert found == [ON_TABLE, *in_region("eu-west-1", *needed), *in_region("us-east-2", *needed)]


# The witness is no table: nothing of a table is needed in its region.
@pytest.mark.parametrize(("kind", "needed"), [("Create", TO_CREATE), ("Delete", TO_DELETE)])
def test_a_witness(kind, needed):
    consistency = {"MultiRegionConsistency": "STRONG"} if kind == "Create" else {}
    found = accesses(
        ReplicaUpdates=actions(kind, "eu-west-1"),
        GlobalTableWitnessUpdates=actions(kind, "us-east-2"),
        **consistency,
    )
    assert found == [
        ON_TABLE,
        *in_region("eu-west-1", *needed),
        *in_region("us-east-2", f"{kind}GlobalTableWitness"),
    ]
