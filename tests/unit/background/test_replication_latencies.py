"""Latencies of replication are bounded, and gone with their tables and replicas."""

from hashrange.background.replication_task import ReplicationLatencies
from hashrange.limits.server import METRIC_TABLES_MAX
from hashrange.observe.figures import SENTENCES, name_and_labels


def pairs(latencies):
    """Seconds by table and region."""
    found = {}
    for key, figure in latencies.figures().items():
        name, labels = name_and_labels(key)
        assert name in SENTENCES
        found[labels] = figure
    return found


def test_the_last_one_of_each_table_and_region_is_shown():
    latencies = ReplicationLatencies()
    latencies.note("a", "eu-west-1", 900)
    latencies.note("a", "ap-south-1", 1500)
    latencies.note("b", "eu-west-1", 20)
    latencies.note("a", "eu-west-1", 250)
    expected = {("a", "eu-west-1"): 0.25, ("a", "ap-south-1"): 1.5, ("b", "eu-west-1"): 0.02}
    assert pairs(latencies) == expected
    latencies.keep("a", {"ap-south-1"})
    assert pairs(latencies).keys() == {("a", "ap-south-1"), ("b", "eu-west-1")}
    latencies.keep("a", set())
    latencies.keep("none", set())
    assert pairs(latencies).keys() == {("b", "eu-west-1")}


def test_there_is_a_bound():
    latencies = ReplicationLatencies()
    for number in range(METRIC_TABLES_MAX + 3):
        latencies.note(f"t{number}", "eu-west-1", number)
    latencies.note("t3", "eu-west-1", 7)
    found = pairs(latencies)
    assert len(found) == METRIC_TABLES_MAX
    assert found["t3", "eu-west-1"] == 0.007
    assert ("t2", "eu-west-1") not in found
