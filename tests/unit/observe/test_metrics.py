"""Counts as they are exposed: what a scrape sees of what happened."""

import timeit
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from hashrange import __version__
from hashrange.limits.server import METRIC_CODES_MAX, METRIC_OPERATIONS_MAX, METRIC_TABLES_MAX
from hashrange.observe.counts import LATENCY_BOUNDS_S, Durations
from hashrange.observe.exposition import text
from hashrange.observe.figures import labelled
from hashrange.observe.metrics import Metrics
from tests.unit.observe.counting import consume, count

MS = 1_000_000


ARN = "arn:aws:dynamodb:eu-west-1:1:table/"


class Reason(NamedTuple):
    reason: str
    resource: str


class Refusal(NamedTuple):
    reasons: list


def scraped(metrics, *more):
    """Values by name and labels, as a scraper reads them."""
    families = text_string_to_metric_families(text(metrics, *more).decode())
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in families
        for sample in family.samples
    }


@given(st.lists(st.integers(0, 2_000 * MS), max_size=30))
def test_histogram_is_that_of_the_durations(durations_ns):
    metrics = Metrics()
    for duration_ns in durations_ns:
        count(metrics, "Query", "", duration_ns)
    found = scraped(metrics)
    name = "hashrange_request_duration_seconds"
    if not durations_ns:
        assert (f"{name}_count", "Query") not in found
        return
    for bound_s in LATENCY_BOUNDS_S:
        within = sum(duration_ns <= round(bound_s * 1e9) for duration_ns in durations_ns)
        assert found[(f"{name}_bucket", *sorted(["Query", str(bound_s)]))] == within
    assert found[f"{name}_bucket", "+Inf", "Query"] == len(durations_ns)
    assert found[f"{name}_count", "Query"] == len(durations_ns)
    assert found[f"{name}_sum", "Query"] == pytest.approx(sum(durations_ns) / 1e9)


# A scrape must not grow with what clients think of.
def test_labels_are_bounded():
    metrics = Metrics()
    for number in range(METRIC_TABLES_MAX + 50):
        consume(metrics, f"table-{number}", "Scan", 1.0, 0.0)
    for number in range(METRIC_OPERATIONS_MAX + 50):
        count(metrics, f"Operation{number}", "", MS)
    for number in range(METRIC_CODES_MAX + 50):
        count(metrics, "Operation0", f"CODE{number}", MS)
    found = scraped(metrics)
    assert found["hashrange_consumed_read_units_total", "Scan", "other"] == 50
    assert found["hashrange_consumed_read_units_total", "Scan", "table-0"] == 1
    assert found["hashrange_requests_total", "OK", "other"] == 50
    assert sum(value for key, value in found.items() if key[0] == "hashrange_requests_total") == (
        METRIC_OPERATIONS_MAX + METRIC_CODES_MAX + 100
    )


# Of what was looked up once: each table has its own counts, and is found again, up to the bound.
def test_counts_of_tables_are_kept_and_bounded():
    metrics = Metrics()
    counts = metrics.consumed("Query")
    assert metrics.consumed("Query") is counts
    for number in range(METRIC_TABLES_MAX + 50):
        for _ in range(2):
            counts[f"table-{number}"].read_units += 1.0
    assert len(counts) == METRIC_TABLES_MAX
    found = scraped(metrics)
    assert found["hashrange_consumed_read_units_total", "Query", "other"] == 100
    assert found["hashrange_consumed_read_units_total", "Query", "table-0"] == 2
    assert found["hashrange_consumed_read_units_total", "Query", "table-999"] == 2


def test_tables_of_namespaces_are_told_apart():
    metrics = Metrics(separate=True)
    for namespace, units in (("1:us-east-1:", 1.0), ("1:eu-west-1:", 2.0)):
        metrics.consumed("Query", namespace)["T"].read_units += units
    metrics.consumed("Query", "1:us-east-1:")[f"{ARN}T"].read_units += 4.0
    found = scraped(metrics)
    assert found["hashrange_consumed_read_units_total", "1:us-east-1:T", "Query"] == 1
    assert found["hashrange_consumed_read_units_total", "1:eu-west-1:T", "Query"] == 6


@pytest.mark.parametrize(("separate", "table"), [(False, "T"), (True, "1:eu-west-1:T")])
def test_throttle_events_have_the_table_of_their_resource(separate, table):
    metrics = Metrics(separate=separate)
    reason = Reason("IndexWriteKeyRangeThroughputExceeded", f"{ARN}T/index/by-n")
    metrics.throttled([Refusal([reason])])
    assert metrics.throttles == {
        (table, "by-n", "WriteThrottleEvents"): 1,
        (table, "by-n", "WriteKeyRangeThroughputThrottleEvents"): 1,
        (table, "", "ThrottledRequests"): 1,
    }


def test_traffic():
    metrics = Metrics()
    metrics.traffic.connections_opened = 5
    metrics.traffic.connections_closed = 2
    metrics.traffic.bytes_sent = 7
    metrics.traffic.answers_abandoned = 8
    found = scraped(metrics)
    assert found["hashrange_connections",] == 3
    assert found["hashrange_sent_bytes_total",] == 7
    assert found["hashrange_answers_abandoned_total",] == 8


def test_figures_of_a_name_with_labels_are_one_family():
    name = "replication_latency_seconds"
    figures = {labelled(name, f"1:us-east-1:{each}", "eu-west-1"): 0.5 for each in ("a", "b.c")}
    exposed = text(Metrics(), {"engine_commits_total": 4, **figures}).decode()
    assert exposed.count(f"# TYPE hashrange_{name} gauge") == 1
    line = f'hashrange_{name}{{receiving_region="eu-west-1",table="1:us-east-1:b.c"}} 0.5'
    assert line in exposed
    assert "hashrange_engine_commits_total 4.0" in exposed


def test_figures():
    durations = Durations()
    for duration_ns in (40_000, 3 * MS, 3 * MS, 2_000 * MS):
        durations.add(duration_ns)
    figures = {
        "engine_commits_total": 4,
        "engine_wal_pages": 10,
        "engine_sync_duration_seconds": durations,
    }
    exposed = text(Metrics(), figures)
    assert b"# TYPE hashrange_engine_commits_total counter" in exposed
    assert b"# TYPE hashrange_engine_wal_pages gauge" in exposed
    assert b"# TYPE hashrange_engine_sync_duration_seconds histogram" in exposed
    found = scraped(Metrics(), figures)
    assert found["hashrange_engine_commits_total",] == 4
    assert found["hashrange_engine_wal_pages",] == 10
    name = "hashrange_engine_sync_duration_seconds"
    assert found[f"{name}_bucket", "5e-05"] == 1
    assert found[f"{name}_bucket", "0.0025"] == 1
    assert found[f"{name}_bucket", "0.005"] == 3
    assert found[f"{name}_bucket", "1.0"] == 3
    assert found[f"{name}_count",] == 4
    assert found[f"{name}_sum",] == pytest.approx(2.00604)


def test_process_and_program():
    found = scraped(Metrics())
    assert found["process_cpu_seconds_total",] > 0
    assert found["hashrange_build_info", __version__] == 1


# Table names may be anything that a text can be, as far as the exposition is concerned.
def test_labels_are_escaped():
    metrics = Metrics()
    consume(metrics, 'a"b\\c\nd', "", 1.0, 0.0)
    assert scraped(metrics)["hashrange_consumed_read_units_total", "", 'a"b\\c\nd'] == 1


# The budget of a request is some microseconds; the bound is loose for a loaded machine.
def test_counting_is_cheap():
    metrics = Metrics()

    def both():
        count(metrics, "GetItem", "", 120_000)
        consume(metrics, "T", "GetItem", 0.5, 0.0)

    assert min(timeit.repeat(both, number=2_000, repeat=5)) / 2_000 < 5e-6
