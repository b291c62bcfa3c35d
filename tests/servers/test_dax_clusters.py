"""Clusters of DAX where several servers have the tables: one runs them, until it is killed."""

import time
import uuid
from contextlib import closing, contextmanager

import pytest

from tests.api.conftest import client_of
from tests.api.dax import cluster, dax_client
from tests.api.dax_session import DaxSession
from tests.api.refusals import table_request
from tests.api.scaling import refused
from tests.api.test_identities import keys_of, made_administrator
from tests.crash.server import Server
from tests.engines.postgres_server import url_of
from tests.pace import seconds, until
from tests.ports import free_port
from tests.servers.fleet import Fleet, metric

TABLE = "table"
FOUND, NONE = {0: b"\x01"}, {}
REFUSED = [4, 23, 31, 32]
REVOKED_SECONDS_MAX = seconds(2)


@pytest.fixture
def fleet():
    made = Fleet(url_of(str(uuid.uuid4())), 2)
    yield made
    made.end()


@contextmanager
def control_of(server):
    client = dax_client(server.url)
    yield client
    client.close()


def available(control):
    (found,) = control.describe_clusters()["Clusters"]
    return found if found["Status"] == "available" else None


def runs(server):
    return metric(server, "dax_nodes") > 0


def runner_of(fleet):
    running = [server for server in fleet.servers if runs(server)]
    return running[0] if len(running) == 1 else None


def ports(found):
    ends = [found["ClusterDiscoveryEndpoint"], *(node["Endpoint"] for node in found["Nodes"])]
    return [(end["Address"], end["Port"]) for end in ends]


def answered(address):
    """Whether a node answers; it is not there while no server runs it."""
    try:
        with DaxSession(*address) as session:
            return session.get(TABLE, "a") == FOUND
    except ConnectionError:
        return False


# What a client has of a cluster goes on: its addresses, what it has written, and how it scales it.
def test_a_killed_server_is_followed_at_the_same_ports(fleet):
    one, other = fleet.servers
    client = client_of(one.url)
    client.create_table(**table_request(TableName=TABLE))
    client.close()
    with control_of(one) as control:
        control.create_cluster(**cluster("c", 2))
        first = until(lambda: available(control))
    with control_of(other) as control:
        assert ports(available(control)) == ports(first)
    discovery, *nodes = ports(first)
    with DaxSession(*discovery) as session:
        assert [port for _, port, _ in session.endpoints()] == [port for _, port in nodes]
    with DaxSession(*nodes[0]) as session:
        session.put(TABLE, "a")
    assert answered(nodes[1])
    killed = until(lambda: runner_of(fleet))
    fleet.kill(killed)
    (left,) = fleet.servers
    until(lambda: runs(left) and answered(nodes[0]) and answered(nodes[1]))
    with control_of(left) as control:
        assert ports(available(control)) == ports(first)
        control.increase_replication_factor(ClusterName="c", NewReplicationFactor=3)
        assert len(until(lambda: available(control))["Nodes"]) == 3
        control.delete_cluster(ClusterName="c")
        until(lambda: not control.describe_clusters()["Clusters"])
    assert not answered(nodes[0])


# A server that ends in order lets another one run the clusters at once.
def test_a_server_that_ends_is_followed(fleet):
    with control_of(fleet.servers[0]) as control:
        control.create_cluster(**cluster("c"))
        first = until(lambda: available(control))
    ended = until(lambda: runner_of(fleet))
    fleet.servers.remove(ended)
    assert ended.terminate() == 0
    (left,) = fleet.servers
    until(lambda: runs(left))
    with control_of(left) as control:
        assert ports(until(lambda: available(control))) == ports(first)


# 0.0.0.0 is an address of each server: it does not tell clients which one has the nodes.
def test_servers_on_all_addresses_of_their_hosts_run_no_clusters():
    server = Server(url_of(str(uuid.uuid4())), "--log-level", "error", "--host", "0.0.0.0")
    try:
        with control_of(server) as control:
            code, text = refused(control.create_cluster, **cluster("c"))
            assert (code, "--host" in text) == ("InsufficientClusterCapacityFault", True)
            assert control.describe_clusters()["Clusters"] == []
    finally:
        server.terminate()


# Another server has revoked the key of a connection that is open, and has read before.
def test_a_key_that_is_revoked_elsewhere_ends_the_authorisation_of_a_connection():
    place, port = url_of(str(uuid.uuid4())), free_port()
    administrator = made_administrator(place)
    options = ("--log-level", "error", "--auth", "required")
    servers = [Server(place, *options), Server(place, *options, "--dax-port", str(port))]
    try:
        with closing(client_of(servers[0].url, **administrator)) as client:
            client.create_table(**table_request(TableName=TABLE))
        with closing(client_of(servers[0].url, "iam", **administrator)) as iam:
            iam.create_user(UserName="u")
            iam.attach_user_policy(
                UserName="u", PolicyArn="arn:aws:iam::aws:policy/AdministratorAccess"
            )
            keys = keys_of(iam.create_access_key(UserName="u")["AccessKey"])
            until(lambda: got(port, keys) == NONE)
            with DaxSession("127.0.0.1", port, **keys) as session:
                assert session.get(TABLE, "a") == NONE
                iam.delete_access_key(UserName="u", AccessKeyId=keys["aws_access_key_id"])
                revoked = time.monotonic()
                until(lambda: session.get(TABLE, "a") != NONE)
                assert time.monotonic() - revoked <= REVOKED_SECONDS_MAX
                assert session.get(TABLE, "a")[0] == REFUSED
    finally:
        for server in servers:
            server.terminate()


def got(port, keys):
    with DaxSession("127.0.0.1", port, **keys) as session:
        return session.get(TABLE, "a")
