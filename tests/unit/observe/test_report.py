"""What processes have counted, added up: as if one of them had counted all of it."""

import random

import msgspec

from hashrange.observe.counts import Durations
from hashrange.observe.exposition import text
from hashrange.observe.metrics import Metrics
from hashrange.observe.report import Report, figures_of, left_of, metrics_of, report_of, summed
from hashrange.observe.snapshot import JobState, KeyCount, KeyCounts
from tests.rows import rows
from tests.unit.observe.counting import consume, count

CPU = {"process_cpu_seconds_total": 1.0}


def count_something(noise, *all_metrics):
    """One event, counted by each."""
    operation, code = (
        noise.choice(["GetItem", "PutItem"]),
        noise.choice(["", "ValidationException"]),
    )
    duration_ns = noise.randrange(10**8)
    table, units = noise.choice("ab"), (noise.randrange(9), noise.randrange(9))
    for metrics in all_metrics:
        count(metrics, operation, code, duration_ns)
        consume(metrics, table, operation, *units)
        metrics.traffic.connections_opened += 1
        metrics.traffic.bytes_sent += duration_ns


@rows("seed", range(20))
def test_processes_are_seen_as_one_that_did_it_all(seed):
    noise = random.Random(seed)
    processes, one = [Metrics() for _ in range(3)], Metrics()
    for _ in range(noise.randrange(50)):
        count_something(noise, noise.choice(processes), one)
    sent = [msgspec.msgpack.encode(report_of(metrics, {})) for metrics in processes]
    together = summed(msgspec.msgpack.decode(each, type=Report) for each in sent)
    expected = sorted(text(one, {}, {}, CPU).splitlines())
    assert sorted(text(metrics_of(together), {}, {}, CPU).splitlines()) == expected


def test_figures_are_added_numbers_and_histograms():
    def figures(nanoseconds):
        durations = Durations()
        durations.add(nanoseconds)
        return {"engine_commits_total": 2, "engine_commit_duration_seconds": durations}

    reports = [report_of(Metrics(), figures(each)) for each in (40_000, 2_000_000_000)]
    found = figures_of(summed([*reports, Report()]))
    assert found["engine_commits_total"] == 4
    durations = found["engine_commit_duration_seconds"]
    assert (durations.buckets[0], durations.buckets[-1]) == (1, 1)
    assert durations.total_ns == 2_000_040_000


# Or a sum would go backwards, which a scraper takes for a restart; but what is gone holds nothing.
def test_what_is_left_of_a_process_is_what_only_grows():
    metrics = Metrics()
    count_something(random.Random(1), metrics)
    figures = {"engine_writes_total": 3, "engine_write_queue_length": 2, **CPU}
    keys, job = KeyCounts(1, [KeyCount("a", "k", 1)]), JobState("backup", "a", "", 0.5, None)
    left = left_of(report_of(metrics, figures, keys, jobs=[job]))
    assert left.jobs == ()
    assert left.numbers == {"engine_writes_total": 3, **CPU}
    assert left.hot_keys is None
    traffic = metrics_of(left).traffic
    assert (traffic.connections_opened, traffic.connections) == (1, 0)
    assert left.operations == report_of(metrics, {}).operations
    assert left_of(Report()) == Report()


def test_keys_that_several_have_seen_are_counted_together():
    one = KeyCounts(5, [KeyCount("a", "k", 3), KeyCount("a", "l", 2)])
    other = KeyCounts(4, [KeyCount("a", "l", 4)])
    reports = [Report(), Report(hot_keys=one), Report(hot_keys=other)]
    expected = KeyCounts(9, [KeyCount("a", "l", 6), KeyCount("a", "k", 3)])
    assert summed(reports).hot_keys == expected


def test_jobs_of_all_processes_are_seen():
    jobs = [JobState("index", name, "", 0.5, 3.0) for name in "abc"]
    reports = [report_of(Metrics(), {}, jobs=jobs[:1]), Report(), Report(jobs=jobs[1:])]
    assert summed(reports).jobs == jobs
