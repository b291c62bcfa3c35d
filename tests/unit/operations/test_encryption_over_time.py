"""Changes of the key of a table on a server whose clock stands still until it is told."""

import pytest

from hashrange.errors import Fault
from hashrange.operations.pipeline.operation import TableChoices
from tests.unit.operations.still_server import SHOWN_MS, StillServer

KEY = "arn:aws:kms:us-east-1:000000000000:key/an-id"
MINE = {"SSESpecification": {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": KEY}}
MANAGED = {"SSESpecification": {"Enabled": True}}
OFF = {"SSESpecification": {"Enabled": False}}


@pytest.fixture
def server():
    made = StillServer(choices=TableChoices(accepts_encryption=True))
    made.create(BillingMode="PAY_PER_REQUEST")
    yield made
    made.end()


def described(server):
    return server.describe()["SSEDescription"]


# Measured by users, October 2026.
def test_old_key_is_shown_until_the_new_one_is_there(server):
    assert server.update(**MINE)["SSEDescription"] == {"Status": "UPDATING"}
    server.later(SHOWN_MS - 1)
    assert described(server) == {"Status": "UPDATING"}
    server.later(1)
    mine = {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": KEY}
    assert described(server) == mine
    server.update(**MANAGED)
    assert described(server) == {**mine, "Status": "UPDATING"}
    server.later(SHOWN_MS)
    assert described(server)["KMSMasterKeyArn"] != KEY
    server.update(**OFF)
    assert described(server)["Status"] == "UPDATING"
    server.later(SHOWN_MS)
    assert "SSEDescription" not in server.describe()


# Measured by users, October 2026.
def test_what_waits_for_a_change_of_the_key(server):
    server.update(**MANAGED)
    assert server.describe()["TableStatus"] == "ACTIVE"
    server.update(**MANAGED)
    text = (
        "Attempt to change a resource which is still in use: "
        "Server-Side Encryption is still being updated"
    )
    for change in (MINE, OFF):
        assert server.refused(**change) == (Fault.RESOURCE_IN_USE, text)
    fault, _ = server.refused("DeleteTable")
    assert fault is Fault.RESOURCE_IN_USE
    server.later(SHOWN_MS)
    server.update(**MINE)
    server.later(SHOWN_MS)
    server.call("DeleteTable")
