"""Failovers of PostgreSQL under Patroni: no acknowledged write is lost, no strong read is stale.

The packages are Debian's, fetched and unpacked; where that cannot be, the tests are skipped.
`python -m tests.servers.failovers` measures the seconds without answers.
"""

import sys

import pytest

from hashrange import start
from tests.api.refusals import table_request
from tests.crash.server import Client
from tests.pace import until
from tests.servers import debian_packages, patroni_cluster
from tests.servers.failovers import TABLE, Load, fail
from tests.servers.patroni_cluster import FAILURES

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the packages are Debian's"),
    pytest.mark.timeout(1200),
]

SETTINGS = {"ttl": 20, "loop_wait": 4, "retry_timeout": 6}
"""The least `ttl` that Patroni takes; the read lease is less than it minus `loop_wait`."""


@pytest.fixture(scope="module")
def cluster():
    try:
        with patroni_cluster.running(debian_packages.programs(), SETTINGS) as cluster:
            yield cluster
    finally:
        debian_packages.remove()


@pytest.mark.parametrize("form", ["hosts", "proxy"])
@pytest.mark.parametrize("failure", FAILURES)
def test_failures_lose_nothing_and_no_read_is_stale(cluster, failure, form):
    outcome = fail(cluster, failure, form)
    assert outcome.load.lost == []
    assert outcome.load.stale == []
    assert outcome.load.writes > 0


# The judge must be able to find what it is for: these two servers have nothing in common.
def test_the_judge_finds_lost_writes_and_stale_reads():
    with start(memory=True, port=0) as one, start(memory=True, port=0) as other:
        for server in (one, other):
            client = Client(server.endpoint)
            client.call("CreateTable", **table_request(TableName=TABLE))
            client.close()
        load = Load([one.endpoint, other.endpoint])
        load.begin()
        until(lambda: load.stale and load.lost)
        load.end()
