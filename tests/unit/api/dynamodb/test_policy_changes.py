"""Changes of policies on a clock that stands still."""

from tests.api.policies import policy
from tests.unit.api.dynamodb.still_server import CALLER, TABLE, StillServer

ARN = f"arn:aws:dynamodb:us-east-1:{CALLER.account}:table/a-table"
OTHER = policy("dynamodb:Query")


def put(server, text):
    return server.perform("PutResourcePolicy", ResourceArn=ARN, Policy=text)


# A revision stands for one text, also if the clock does not move: caches go by it.
def test_revisions_grow_while_the_clock_stands():
    server = StillServer(transient_ms=0)
    server.create(BillingMode="PAY_PER_REQUEST")
    revisions = [put(server, policy())]
    server.call("DeleteResourcePolicy", ResourceArn=ARN)
    revisions += [put(server, OTHER), put(server, policy())]
    assert revisions == sorted(set(revisions))
    server.later(-60_000)
    assert put(server, OTHER) > revisions[-1]
    server.end()


# DDB-TABLE-206 and 205: until two seconds it is pending, until fifteen it is too soon.
def test_a_change_has_to_wait_for_the_last_one():
    server = StillServer(transient_ms=1000)
    server.create(BillingMode="PAY_PER_REQUEST")
    first = int(put(server, policy()))
    server.later(500)
    assert put(server, policy()) == str(first)
    pending = (
        "Attempt to change a resource which is still in use: Table is pending previous "
        "resource-based policy update: a-table"
    )
    refused = server.refused("PutResourcePolicy", ResourceArn=ARN, Policy=OTHER)
    assert (refused[0].name, refused[1]) == ("RESOURCE_IN_USE", pending)
    server.later(14_499)
    soon = (
        "Resource-based policy for table a-table modified within the previous 15000 milliseconds. "
        "Please try again after 2026-01-01T12:00:16.000Z."
    )
    for operation, more in (("PutResourcePolicy", {"Policy": OTHER}), ("DeleteResourcePolicy", {})):
        refused = server.refused(operation, ResourceArn=ARN, **more)
        assert (refused[0].name, refused[1]) == ("THROTTLED", soon)
    server.later(1)
    server.call("DeleteResourcePolicy", ResourceArn=ARN)
    refused = server.refused("PutResourcePolicy", ResourceArn=ARN, Policy=OTHER)
    assert refused[1] == pending
    server.end()


def test_a_table_that_is_deleting():
    server = StillServer(transient_ms=1000)
    server.create(BillingMode="PAY_PER_REQUEST")
    put(server, policy())
    server.call("DeleteTable", TableName=TABLE["TableName"])
    assert server.call("GetResourcePolicy", ResourceArn=ARN)["Policy"]
    refused = server.refused("PutResourcePolicy", ResourceArn=ARN, Policy=OTHER)
    assert refused[1].endswith("Table is being deleted: a-table")
    server.end()
