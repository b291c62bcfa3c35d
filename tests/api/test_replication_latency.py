"""/metrics has the latency of replication of each table to each region."""

# Who waits for another region has to see which one is late; CloudWatch has ReplicationLatency.

import hashrange
from hashrange.settings.kinds import Namespaces
from tests.api.replicas import (
    ACCOUNTS,
    REGIONS,
    active,
    equal,
    in_regions,
    put,
    replicated,
    replication_latencies,
    update,
)
from tests.pace import until

DELAY_MS = 5000


def test_of_tables_and_receiving_regions():
    settings = {"namespaces": Namespaces.SEPARATE, "regions": ",".join(REGIONS), "testing": True}
    with hashrange.start(**settings, replication_delay_ms=DELAY_MS) as server:
        account = str(next(ACCOUNTS))
        clients = in_regions(server.endpoint, account)
        replicated(clients)
        assert replication_latencies(server.endpoint) == {}
        for client, key in ((clients[0], "a"), (clients[2], "c")):
            put(client, key, 1)
        server.clock.advance(seconds=6)
        equal(clients, {"a": "1", "c": "1"})
        first, third = f"{account}:us-east-1:a-table", f"{account}:ap-south-1:a-table"
        between = {(first, "ap-south-1"), (third, "us-east-1")}
        shown = between | {(first, "eu-west-1"), (third, "eu-west-1")}
        until(lambda: replication_latencies(server.endpoint).keys() == shown)
        found = replication_latencies(server.endpoint)
        assert all(DELAY_MS / 1000 <= each < 30 for each in found.values())
        update(clients[0], "Delete", "eu-west-1")
        until(lambda: replication_latencies(server.endpoint).keys() == between)
        until(lambda: active(clients[0]))
        clients[2].delete_table(TableName="a-table")
        until(lambda: replication_latencies(server.endpoint) == {})
