"""DAX on a server with workers: one reader has the nodes, and another one in its place."""

import os
from contextlib import closing, contextmanager

import pytest

from tests.api.conftest import client_of
from tests.api.dax import cluster, dax_client
from tests.api.dax_session import DaxSession
from tests.api.refusals import table_request
from tests.pace import until
from tests.ports import free_port
from tests.servers.fleet import metric
from tests.workers.processes import WorkedServer

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are for POSIX systems")

TABLE = "table"
FOUND, NONE = {0: b"\x01"}, {}


@pytest.fixture
def server(tmp_path):
    made = WorkedServer(tmp_path / "data")
    client = client_of(made.url)
    client.create_table(**table_request(TableName=TABLE))
    client.close()
    yield made
    made.terminate()


@contextmanager
def available(server, nodes):
    """The control plane, and the ports of a cluster: that of discovery first."""
    control = dax_client(server.url)
    control.create_cluster(**cluster("c", nodes))

    def found():
        (found,) = control.describe_clusters()["Clusters"]
        return found if found["Status"] == "available" else None

    described = until(found)
    ends = [described["ClusterDiscoveryEndpoint"], *(n["Endpoint"] for n in described["Nodes"])]
    yield control, [end["Port"] for end in ends]
    control.close()


def answered(port, key="a"):
    try:
        with DaxSession("127.0.0.1", port) as session:
            return session.get(TABLE, key)
    except ConnectionError:
        return None


def test_nodes_serve_what_any_worker_has_written(server):
    with available(server, 2) as (control, (discovery, *nodes)):
        with DaxSession("127.0.0.1", discovery) as session:
            assert [port for _, port, _ in session.endpoints()] == nodes
        with DaxSession("127.0.0.1", nodes[0]) as session:
            assert session.get(TABLE, "a") == NONE
            session.put(TABLE, "a")
        assert answered(nodes[1]) == FOUND
        assert metric(server, "dax_nodes") == 2
        control.reboot_node(ClusterName="c", NodeId="c-b")
        until(lambda: answered(nodes[1]) == FOUND)
        control.delete_cluster(ClusterName="c")
        until(lambda: not control.describe_clusters()["Clusters"])
        assert answered(nodes[0]) is None


# Whichever of the readers has the nodes: both are killed, one after the other.
@pytest.mark.parametrize("role", ["reader", "writer"])
def test_clients_go_on_after_a_process_was_killed(server, role):
    with available(server, 1) as (_, (discovery, node)):
        with DaxSession("127.0.0.1", node) as session:
            session.put(TABLE, "a")
        for pid in server.pids(role):
            os.kill(pid, 9)
            until(lambda pid=pid: pid not in server.pids(role) and server.is_whole())
            until(lambda: answered(node) == FOUND)
            with DaxSession("127.0.0.1", discovery) as session:
                assert [port for _, port, _ in session.endpoints()] == [node]
            with DaxSession("127.0.0.1", node) as session:
                session.put(TABLE, f"after-{pid}")
            assert answered(node, f"after-{pid}") == FOUND


# Connections wait while there is no such reader; what is written before is there afterwards.
def test_the_port_for_clients_of_dax_outlives_its_reader(tmp_path):
    port = free_port()
    server = WorkedServer(tmp_path / "data", "--dax-port", str(port))
    try:
        with closing(client_of(server.url)) as client:
            client.create_table(**table_request(TableName=TABLE))
        with DaxSession("127.0.0.1", port) as session:
            assert [at for _, at, _ in session.endpoints()] == [port]
            session.put(TABLE, "a")
        for pid in server.pids("reader"):
            os.kill(pid, 9)
            until(lambda pid=pid: pid not in server.pids("reader"))
            until(lambda: answered(port) == FOUND)
        until(server.is_whole)
    finally:
        server.terminate()
