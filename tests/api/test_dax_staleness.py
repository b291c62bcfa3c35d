"""Two clients of a cluster, each at a node of its own, see what DAX documents as stale."""

import uuid

import pytest

import hashrange
from hashrange.dax.protocol.methods import METHODS
from hashrange.wire.cbor import encoding as cbor
from hashrange.wire.cbor.encoding import encode_integer
from tests.api.conftest import client_of
from tests.api.dax import cluster, dax_client
from tests.api.dax_session import DaxSession
from tests.api.tables import keyed
from tests.pace import until

NUMBERS = {method.name: number for number, method in METHODS.items()}
ITEM, ITEMS = 0, 7
NOTHING = {}
MINUTES, DAYS = 60, 24 * 3600
DEFAULT_SECONDS = 5 * MINUTES


@pytest.fixture(scope="module")
def server():
    with hashrange.start(testing=True) as server:
        yield server


@pytest.fixture(scope="module")
def control(server):
    client = dax_client(server.endpoint)
    yield client
    client.close()


@pytest.fixture(scope="module")
def beside(server):
    """A client of the API, which no cache sees."""
    client = client_of(server.endpoint)
    yield client
    client.close()


@pytest.fixture
def table(beside):
    name = f"t-{uuid.uuid4()}"
    beside.create_table(TableName=name, **keyed(pk="S"))
    yield name
    beside.delete_table(TableName=name)


@pytest.fixture
def write(beside, table):
    """Writes an item with a value beside the caches."""

    def write(key, value):
        item = {"pk": {"S": key}, "v": {"N": str(value)}}
        beside.put_item(TableName=table, Item=item)

    return write


class Cluster:
    """A cluster of two nodes, a client of each, and its parameter group."""

    def __init__(self, control, parameters):
        self._control, self.name = control, f"c{uuid.uuid4().hex[:8]}"
        control.create_parameter_group(ParameterGroupName=self.name)
        self.set(**parameters)
        made = cluster(self.name, 2, ParameterGroupName=self.name)
        control.create_cluster(**made)
        until(lambda: self._described()["Status"] == "available")
        ends = [node["Endpoint"] for node in self._described()["Nodes"]]
        self.one, self.other = (DaxSession(end["Address"], end["Port"]) for end in ends)

    def _described(self):
        return self._control.describe_clusters(ClusterNames=[self.name])["Clusters"][0]

    def set(self, **parameters):
        """Change the parameters of the group while the cluster runs."""
        self._control.update_parameter_group(
            ParameterGroupName=self.name,
            ParameterNameValues=[
                {"ParameterName": f"{kind}-ttl-millis", "ParameterValue": str(milliseconds)}
                for kind, milliseconds in parameters.items()
            ],
        )

    def close(self):
        self.one.__exit__()
        self.other.__exit__()
        self._control.delete_cluster(ClusterName=self.name)


@pytest.fixture
def make(control):
    """Makes clusters with parameters."""
    made = []

    def make(**parameters):
        made.append(Cluster(control, parameters))
        return made[-1]

    yield make
    for each in made:
        each.close()


def value(session, table, key):
    """The value of an item that a node tells; None if there is none."""
    answer = session.get(table, key)
    return None if answer == NOTHING else answer[ITEM][-1]


def scanned(session, table):
    """The values of the items of a scan."""
    number, name = NUMBERS["scan"], cbor.byte_string(table.encode())
    return sorted(values[-1] for _, values in session.call(number, name, cbor.NULL)[ITEMS])


def put(session, table, key, number):
    names = session.call(NUMBERS["defineAttributeListId"], cbor.array([cbor.text("v")]))
    item = cbor.byte_string(encode_integer(names) + encode_integer(number))
    data = [cbor.byte_string(text.encode()) for text in (table, key)]
    return session.call(NUMBERS["putItem"], *data, item, cbor.EMPTY_MAP)


def seen(session, table, key):
    """What a node tells thrice: a miss, a hit, and a hit that is at hand take other ways."""
    found = {value(session, table, key) for _ in range(3)}
    assert len(found) == 1
    return found.pop()


def test_a_write_through_one_node_is_seen_through_the_other(make, table, write):
    cluster = make()
    write("a", 1)
    assert seen(cluster.one, table, "a") == seen(cluster.other, table, "a") == 1
    put(cluster.other, table, "a", 2)
    assert seen(cluster.one, table, "a") == 2


def test_a_write_through_another_cluster_is_not_seen_until_the_time_is_over(
    clock, make, table, write
):
    mine, theirs = make(), make()
    write("a", 1)
    assert seen(mine.one, table, "a") == 1
    assert seen(mine.one, table, "b") is None
    put(theirs.one, table, "a", 2)
    put(theirs.one, table, "b", 2)
    clock.advance(seconds=DEFAULT_SECONDS - 10)
    # The item that there was, and that there was none.
    assert seen(mine.other, table, "a") == 1
    assert seen(mine.other, table, "b") is None
    clock.advance(seconds=11)
    assert seen(mine.other, table, "a") == seen(mine.one, table, "b") == 2


def test_that_there_is_no_item_ends_with_a_write_through_the_cluster(make, table, write):
    cluster = make()
    assert seen(cluster.one, table, "a") is None
    write("a", 1)
    assert seen(cluster.other, table, "a") is None
    put(cluster.other, table, "a", 2)
    assert seen(cluster.one, table, "a") == 2


def test_no_write_changes_the_query_cache(clock, make, table, write):
    cluster = make()
    write("a", 1)
    assert scanned(cluster.one, table) == [1]
    put(cluster.one, table, "a", 2)
    put(cluster.other, table, "b", 3)
    assert seen(cluster.one, table, "a") == 2
    assert scanned(cluster.one, table) == scanned(cluster.other, table) == [1]
    clock.advance(seconds=DEFAULT_SECONDS + 1)
    assert scanned(cluster.one, table) == [2, 3]


def test_an_item_lives_for_ever_with_a_record_ttl_of_0(clock, make, table, write):
    cluster = make(record=0)
    write("a", 1)
    assert seen(cluster.one, table, "a") == 1
    write("a", 2)
    clock.advance(seconds=400 * DAYS)
    assert seen(cluster.other, table, "a") == 1


def test_no_page_is_cached_with_a_query_ttl_of_0(make, table, write):
    cluster = make(query=0)
    write("a", 1)
    assert scanned(cluster.one, table) == [1]
    write("a", 2)
    assert scanned(cluster.one, table) == [2]


# What is cached from then on has the new times.
def test_a_parameter_group_changes_a_cluster_that_runs(clock, make, table, write):
    cluster = make(query=MINUTES * 1000)
    write("a", 1)
    assert seen(cluster.one, table, "a") == 1
    assert scanned(cluster.one, table) == [1]
    cluster.set(record=MINUTES * 1000, query=0)

    def lives_a_minute():
        """The group is looked at within a second."""
        key = f"k-{uuid.uuid4()}"
        assert value(cluster.one, table, key) is None
        write(key, 1)
        clock.advance(seconds=MINUTES + 1)
        return value(cluster.one, table, key) == 1

    until(lives_a_minute)
    assert 7 not in scanned(cluster.one, table)
    write("b", 7)
    assert 7 in scanned(cluster.other, table)
