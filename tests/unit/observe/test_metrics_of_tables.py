"""Requests are counted once: by operation and table if they succeed on one, else by operation."""

from hashrange.observe.metrics import Metrics

MS = 1_000_000


def test_requests_of_all_tables_are_those_of_their_operation():
    metrics = Metrics()
    counts, tables = metrics.of("GetItem"), metrics.on_tables("GetItem", "1", "r")
    tables["albums"].add(3 * MS)
    tables["songs"].add(5 * MS)
    tables[None].add(7 * MS)
    counts.fail("ValidationException")
    counts.add(11 * MS)
    metrics.of("ListTables").add(MS)
    found = metrics.requests()
    assert found["GetItem"].codes == {"": 3, "ValidationException": 1}
    assert found["GetItem"].total_ns == 26 * MS
    assert found["ListTables"].codes == {"": 1}
    # Neither is changed by it.
    assert metrics.requests()["GetItem"].codes == found["GetItem"].codes


def test_requests_of_operations_behind_the_bound_share_a_label():
    metrics = Metrics()
    for number in range(1000):
        metrics.of(f"Operation{number}")
        metrics.on_tables(f"Operation{number}", "1", "r")["albums"].add(MS)
    assert sum(sum(each.buckets) for each in metrics.requests().values()) == 1000
