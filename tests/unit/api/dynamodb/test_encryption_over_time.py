"""Changes of the key of a table on a server whose clock stands still until it is told."""

import pytest

from hashrange.api.steps.operation import TableChoices
from hashrange.errors import Fault
from hashrange.model.times import iso_time_ms
from tests.unit.api.dynamodb.still_server import SHOWN_MS, StillServer
from tests.unit.tables.definitions import HOUR_MS

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


# Four changes within a day from the first, then one each six hours; the key that the table has
# counts, too. Measured by users, October 2026.
def test_changes_of_a_day(server):
    server.refused(**OFF)
    for change in (MANAGED, MANAGED, MINE, OFF):
        server.update(**change)
        server.later(HOUR_MS)
    text = (
        "Subscriber limit exceeded: Encryption mode changes are limited in the 24h window ending "
        "at {}. After the first 4 change, each subsequent change in the same window can be "
        "performed at most once every 21600 seconds. Number of updates today: {}. Last change at "
        "{}. Next changes can be made at {}."
    )
    began = server.time_ms - 4 * HOUR_MS

    def at(hours):
        return iso_time_ms(began + hours * HOUR_MS)

    told = (Fault.LIMIT_EXCEEDED, text.format(at(24), 4, at(3), at(9)))
    for change in (MANAGED, OFF):
        assert server.refused(**change) == told
    server.later(5 * HOUR_MS)
    server.update(**MANAGED)
    server.later(HOUR_MS)
    told = (Fault.LIMIT_EXCEEDED, text.format(at(24), 5, at(9), at(15)))
    assert server.refused(**OFF) == told
    server.later(13 * HOUR_MS)
    server.update(**OFF)
    told = (Fault.LIMIT_EXCEEDED, text.format(at(24), 6, at(23), at(24)))
    assert server.refused(**MANAGED) == told
    server.later(HOUR_MS)
    for change in (MANAGED, MINE, MANAGED, MINE):
        server.update(**change)
        server.later(SHOWN_MS)
    fault, _ = server.refused(**MANAGED)
    assert fault is Fault.LIMIT_EXCEEDED


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
