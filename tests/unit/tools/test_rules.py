import re
from pathlib import Path

import pytest

from hashrange.tools.definition import TableDefinition
from hashrange.tools.facts import LiveFigures, LivePartition
from hashrange.tools.rules import RULES, TABLE, Facts, findings
from tests.rows import rows

DOCS = Path(__file__).parents[3] / "docs"
GB = 1024**3


def keys(partition, sort=None):
    named = [(partition, "HASH")] if sort is None else [(partition, "HASH"), (sort, "RANGE")]
    return [{"AttributeName": name, "KeyType": kind} for name, kind in named]


def index(name, partition, sort=None, projection="ALL", **more):
    shown = {"ProjectionType": projection}
    return {"IndexName": name, "KeySchema": keys(partition, sort), "Projection": shown, **more}


def facts(partition="user_id", sort=None, *, local=(), indexes=(), expires=None, units=None, **of):
    request = {"TableName": "t", "KeySchema": keys(partition, sort)}
    request |= {"GlobalSecondaryIndexes": indexes} if indexes else {}
    request |= {"LocalSecondaryIndexes": local} if local else {}
    request |= {"ProvisionedThroughput": units} if units else {}
    return Facts(definition=TableDefinition(request=request, time_to_live=expires), **of)


LOCAL = {"sort": "sk", "local": [index("l", "user_id", "at")]}
FOUR = [index("a", "a_id"), index("b", "b_id"), index("c", "c_id")]
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
SLOW = {"ProvisionedThroughput": UNITS | {"WriteCapacityUnits": 4}}

ROWS = [
    (facts(), []),
    (facts("PK", "SK", indexes=[index("GSI1", "GSI1PK", "GSI1SK")]), []),
    # Names tell what values there will be.
    (facts("status"), ["low-cardinality-key"]),
    (facts("orderStatus"), ["low-cardinality-key"]),
    (facts("statusId"), []),
    (facts("estate"), []),
    (facts("pk", "sk", indexes=[index("g", "is_active")]), ["low-cardinality-key"]),
    (facts("status", cardinality={"status": 100_000}), []),
    (facts("user_id", cardinality={"user_id": 3}), ["low-cardinality-key"]),
    (facts("created_at"), ["rising-key"]),
    (facts("day", "user_id"), ["rising-key"]),
    (facts("update_id"), []),
    (facts("device_id", "timestamp"), ["unbounded-collection"]),
    (facts("device_id", "timestamp", expires="ttl"), []),
    (facts("status", "sk"), ["low-cardinality-key", "unbounded-collection"]),
    # Local indexes.
    (facts(**LOCAL), ["local-index"]),
    (facts(**LOCAL, collection_bytes={TABLE: 11 * GB}), ["collection-full", "local-index"]),
    (facts("pk", "sk", collection_bytes={TABLE: 11 * GB}), []),
    # Indexes nobody needs.
    (facts("pk", "sk", indexes=[index("g", "pk", "sk")]), ["redundant-index"]),
    (facts("pk", indexes=[index("a", "x"), index("b", "x", "y")]), ["redundant-index"]),
    (facts("pk", indexes=[index("a", "x", "y"), index("b", "x", "z")]), []),
    (facts("pk", indexes=[index("a", "x"), index("b", "x")]), ["redundant-index"]),
    (facts("pk", indexes=[index("a", "x"), index("b", "x", "y", "KEYS_ONLY")]), []),
    (facts("pk", indexes=[index("a", "x")], reads_per_second={TABLE: 9}), ["unread-index"]),
    (facts("pk", indexes=[index("a", "x")], reads_per_second={"a": 1}), []),
    # Sizes.
    (facts(item_bytes=31 * 1024), []),
    (facts(item_bytes=32 * 1024), ["large-item"]),
    (facts(item_bytes=401 * 1024), ["item-too-large"]),
    (facts(item_bytes=1024, item_bytes_max=401 * 1024), ["item-too-large"]),
    # Projections: by their number, or by what they cost and save.
    (facts(indexes=FOUR), ["wide-projection"]),
    (facts(indexes=FOUR[:2]), []),
    (facts(indexes=FOUR[:1], projection_units={"a": (900, 100)}), ["wide-projection"]),
    (facts(indexes=FOUR[:1], projection_units={"a": (900, 10_000)}), []),
    (facts(indexes=FOUR, projection_units={"a": (0, 100)}), []),
    # Units.
    (facts(units=UNITS, indexes=[index("a", "x", **SLOW)]), ["slower-index"]),
    (facts(units=UNITS, indexes=[index("a", "x", ProvisionedThroughput=UNITS)]), []),
]


def live(**figures):
    return facts(live=LiveFigures(**figures))


def throttled(event, index=""):
    return live(throttles={(index, event): 3.0})


def partition(share, *, count=4, units=100.0):
    """The figures of a table whose first partition has a share of its units."""
    first = LivePartition(index="", number=0, count=count, share=share, units=units, throttled=0)
    return live(partitions=[first])


ROWS += [
    (live(), []),
    (throttled("WriteKeyRangeThroughputThrottleEvents"), ["throttled-by-partition"]),
    (throttled("ReadProvisionedThroughputThrottleEvents"), ["throttled-by-units"]),
    (throttled("ReadMaxOnDemandThroughputThrottleEvents"), ["throttled-by-maximum"]),
    (throttled("WriteAccountLimitThrottleEvents"), ["throttled-by-account"]),
    # The sums of these.
    (throttled("WriteThrottleEvents"), []),
    (throttled("ThrottledRequests"), []),
    # An index throttles its reads, and the writes of its table.
    (throttled("ReadKeyRangeThroughputThrottleEvents", "i"), ["throttled-by-partition"]),
    (throttled("WriteKeyRangeThroughputThrottleEvents", "i"), ["index-back-pressure"]),
    (throttled("WriteThrottleEvents", "i"), []),
    (partition(0.5), ["hot-partition"]),
    (partition(0.4), []),
    (partition(1.0, count=1), []),
    (partition(1.0, units=99.0), []),
    (live(operation_units={"Scan": (1000.0, 0.0), "Query": (4000.0, 0.0)}), ["scans"]),
    (live(operation_units={"Scan": (1000.0, 0.0), "Query": (4001.0, 0.0)}), []),
    (live(operation_units={"Scan": (999.0, 0.0)}), []),
    (live(idle={("", "Read"): (10.0, 1.9)}), ["idle-units"]),
    (live(idle={("", "Read"): (10.0, 2.0), ("i", "Write"): (9.0, 0.0)}), []),
    (live(sampled=9, largest_bytes=32 * 1024), ["large-sample"]),
    (live(sampled=9, largest_bytes=32 * 1024 - 1), []),
    (live(sampled=9, expired=1, oldest_expired_seconds=9e4), ["ttl-lag"]),
    (live(stream_lag_seconds=60.0), ["stream-lag"]),
    (live(stream_lag_seconds=59.0), []),
    (live(records_given_up=1.0), ["stream-lag"]),
    (live(conflicts={"TransactionConflictException": 1.0}, writes=100.0), ["conflicts"]),
    (live(conflicts={"TransactionConflictException": 1.0}, writes=101.0), []),
    (live(conflicts={"TransactionConflictException": 0.0}), []),
]


@rows("known, expected", ROWS)
def test_rules_find_what_hurts(known, expected):
    assert [each.rule for each in findings(known)] == expected


def test_every_rule_has_a_row_that_breaks_it():
    assert {rule.id for rule in RULES} == {each for _, expected in ROWS for each in expected}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_texts_are_sentences_without_a_full_stop(rule):
    assert rule.remedy[0].isupper()
    assert not rule.remedy.endswith(".")


# A finding leads to a page: the section is there, and the page of rules has every rule.
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_pages_are_there(rule):
    name, _, section = rule.page.partition("#")
    headings = re.findall(r"^#+ (.+)$", (DOCS / name).read_text("utf-8"), re.MULTILINE)
    assert section in {heading.lower().replace(" ", "-") for heading in headings}
    page = "doctor.md" if rule.is_live else "design.md"
    assert f"`{rule.id}`" in (DOCS / page).read_text("utf-8")


def test_finding_is_one_line():
    (found,) = findings(facts("status"))
    assert found.line == (
        "warning: the partition key status of table t has few values by its name. Use a key with "
        "many values, or add a shard number to it. "
        "[low-cardinality-key, docs/patterns.md#write-sharding]"
    )
