"""What the runner makes of the rows of clusters: ports, and rows again."""

import asyncio

import msgspec
import pytest

from hashrange.api.aws_services.dax_clusters.nodes import added
from hashrange.api.aws_services.dax_clusters.store import DaxRows, StoredCluster
from hashrange.dax.cluster_runner import LEAVING_SECONDS, ClusterRunner
from hashrange.settings.kinds import Durability
from hashrange.storage.engine import StaleFenceError
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.tables.catalog.leases import NotLeadingError
from tests.pace import loop_until
from tests.unit.api.aws_services.dax_clusters.ports import Ports, StillClock
from tests.unit.tables.definitions import NOON_MS


class Machine:
    """A server with clusters, whose clock stands still."""

    def __init__(self, ports=None):
        self.clock = StillClock(NOON_MS)
        self.engine = SqliteEngine.open(
            None, durability=Durability.RELAXED, now_ms=self.clock.now_ms
        )
        self.rows = DaxRows(self.engine)
        self.begin(ports)
        self._loop = asyncio.new_event_loop()

    def begin(self, ports=None, **more):
        """Begin with the rows, as another process would."""
        self.ports = ports or Ports()
        self.runner = ClusterRunner(self.rows, self.ports, self.clock, bytes_max=1_000_000, **more)

    def create(self, nodes, **more):
        cluster = StoredCluster(
            scope="",
            account="000000000000",
            region="us-east-1",
            name="c",
            node_type="dax.t3.small",
            role="arn:aws:iam::000000000000:role/r",
            created_ms=NOON_MS,
            window="thu:23:30-fri:00:30",
            **{"id": "1", **more},
        )
        zones = ["us-east-1a"] * nodes
        self.change(lambda _: added(cluster, zones, NOON_MS))

    def change(self, change):
        self.run(self.rows.clusters.change("", "c", change))

    def set(self, **members):
        self.change(lambda before: msgspec.structs.replace(before, **members))

    def set_node(self, at, status):
        def change(before):
            nodes = list(before.nodes)
            nodes[at] = msgspec.structs.replace(nodes[at], status=status)
            return msgspec.structs.replace(before, nodes=tuple(nodes), status="modifying")

        self.change(change)

    def reconcile(self):
        self.run(self.runner.reconcile())

    @property
    def cluster(self):
        return self.run(self.rows.clusters.get("", "c"))

    @property
    def running(self):
        return self.runner.running["", "c"]

    def events(self):
        return [each.text for each in self.run(self.rows.events(""))]

    def run(self, coroutine):
        return self._loop.run_until_complete(coroutine)

    def end(self):
        self._loop.close()
        self.engine.close()


@pytest.fixture
def machine():
    machine = Machine()
    yield machine
    machine.end()


def test_work_that_is_done_twice_is_done_once(machine):
    machine.create(2)
    machine.reconcile()
    before, ports, events = machine.cluster, dict(machine.ports.open), machine.events()
    machine.reconcile()
    assert (machine.cluster, machine.ports.open, machine.events()) == (before, ports, events)


def test_a_node_that_died_is_replaced_at_the_same_port(machine):
    machine.create(2)
    machine.reconcile()
    before, caches = machine.cluster, machine.running.caches
    dead = machine.ports.open.pop(before.nodes[0].port)
    dead.listens = False
    machine.reconcile()
    assert machine.ports.open[dead.port] is not dead
    assert machine.cluster == before
    assert machine.running.caches is caches
    assert machine.events()[0] == "Node c-a failed and was replaced."


def test_the_endpoint_that_tells_the_nodes_is_replaced_too(machine):
    machine.create(1)
    machine.reconcile()
    dead = machine.ports.open.pop(machine.cluster.port)
    dead.listens = False
    machine.reconcile()
    assert machine.ports.open[machine.cluster.port].listens


def test_a_server_that_begins_again_uses_the_same_ports_unless_they_are_taken(machine):
    machine.create(2)
    machine.reconcile()
    before = machine.cluster
    machine.begin()
    machine.reconcile()
    assert machine.cluster == before
    machine.begin(Ports(taken=[before.nodes[1].port]))
    machine.reconcile()
    after = machine.cluster
    assert (after.port, after.nodes[0]) == (before.port, before.nodes[0])
    assert after.nodes[1].port in machine.ports.open
    assert after.nodes[1].port != before.nodes[1].port


def test_a_node_that_is_removed_goes_on_until_clients_know(machine):
    machine.create(2)
    machine.reconcile()
    leaving = machine.cluster.nodes[1]
    machine.set_node(1, "deleting")
    machine.reconcile()
    assert [node.id for node in machine.cluster.nodes] == ["c-a"]
    assert machine.cluster.status == "available"
    assert leaving.port not in [node.port for node in machine.running.nodes]
    assert leaving.port in machine.ports.open
    machine.clock.time_ms += int(LEAVING_SECONDS * 1000)
    machine.reconcile()
    assert leaving.port not in machine.ports.open


def test_a_node_is_started_again_without_losing_what_is_cached(machine):
    machine.create(1)
    machine.reconcile()
    before, caches = machine.cluster, machine.running.caches
    first = machine.ports.open[before.nodes[0].port]
    machine.set_node(0, "rebooting")
    machine.reconcile()
    assert not first.listens
    assert machine.cluster == before
    assert machine.running.caches is caches


def test_a_cluster_that_is_deleted_is_gone_with_its_ports(machine):
    machine.create(2)
    machine.reconcile()
    machine.set(status="deleting")
    machine.reconcile()
    assert machine.cluster is None
    assert machine.ports.open == {}
    assert machine.events()[0] == "Cluster deleted."


def test_another_cluster_of_the_name_has_caches_of_its_own(machine):
    machine.create(1)
    machine.reconcile()
    caches = machine.running.caches
    machine.create(1, id="2")
    machine.reconcile()
    assert machine.running.caches is not caches
    assert len(machine.ports.open) == 2


def test_what_changes_meanwhile_is_not_lost(machine):
    machine.create(1)
    start = machine.ports.__call__

    class Slow(Ports):
        async def __call__(self, cluster, port):
            if cluster.stored.status == "creating":
                await machine.rows.clusters.change(
                    "", "c", lambda before: msgspec.structs.replace(before, status="deleting")
                )
            return await start(cluster, port)

    machine.runner = ClusterRunner(machine.rows, Slow(), machine.clock, bytes_max=1000)
    machine.reconcile()
    assert machine.cluster.status == "deleting"
    machine.reconcile()
    assert machine.cluster is None
    assert machine.ports.open == {}


def test_closing_leaves_the_rows_as_they_are(machine):
    machine.create(2)
    machine.reconcile()
    before = machine.cluster
    machine.run(machine.runner.close())
    assert machine.ports.open == {}
    assert machine.cluster == before


# Of several servers the one that runs clusters tells in their rows where they are.
def test_another_server_takes_the_clusters_over_at_its_own_address(machine):
    machine.begin(host="one.example")
    machine.create(2)
    machine.reconcile()
    before = machine.cluster
    assert before.host == "one.example"
    machine.begin(Ports(taken={before.nodes[0].port}), host="other.example")
    machine.reconcile()
    after = machine.cluster
    assert after.host == "other.example"
    assert after.port == before.port
    assert after.nodes[1].port == before.nodes[1].port
    assert after.nodes[0].port in machine.ports.open


def not_leading():
    raise NotLeadingError


# Suspended for long, a server finds when it wakes that another one has opened the nodes.
@pytest.mark.parametrize("fences", [not_leading, lambda: {b"lease": b"of another term"}])
def test_a_server_that_leads_no_more_changes_no_row(machine, fences):
    machine.create(1)
    machine.reconcile()
    before = machine.cluster
    machine.begin(host="late.example", fences=fences)
    with pytest.raises((NotLeadingError, StaleFenceError)):
        machine.reconcile()
    assert machine.cluster == before
    machine.set(status="deleting")
    with pytest.raises((NotLeadingError, StaleFenceError)):
        machine.reconcile()
    assert machine.cluster.status == "deleting"


# It looks again, as after a failure of the storage, until it is told to end.
def test_a_runner_goes_on_until_it_ends(machine):
    machine.begin(fences=not_leading)
    machine.create(1)

    async def main():
        task = asyncio.ensure_future(machine.runner.run())
        await loop_until(lambda: machine.ports.open)
        assert not task.done()
        task.cancel()
        await asyncio.wait([task])

    machine.run(main())
    assert machine.cluster.status == "creating"
    assert machine.ports.open == {}
