"""Parallel scans: the segments of a table. Source of all: F.3."""

import pytest

from tests.api.items import answer
from tests.api.refusals import VALIDATION, refusal
from tests.api.walks import fill, walked

PARTITIONS = 60


@pytest.fixture(scope="module")
def table(dynamodb, new_table):
    """A table with sixty partitions of two items each; nobody writes to it."""
    name = new_table(sk="S")
    fill(
        dynamodb,
        name,
        (
            {"pk": {"S": str(number)}, "sk": {"S": key}}
            for number in range(PARTITIONS)
            for key in "ab"
        ),
    )
    return name


@pytest.fixture
def segments(dynamodb, table):
    """The items of each of `total` segments, walked in pages."""

    def walk_all(total, **request):
        return [
            walked(dynamodb.scan, TableName=table, Segment=segment, TotalSegments=total, **request)
            for segment in range(total)
        ]

    return walk_all


# Each item belongs to exactly one segment, and the segments follow each other in the order of the
# whole scan, so that a reader may change their number between two scans.
@pytest.mark.parametrize("total", [1, 2, 3, 4, 7, 64])
def test_segments_make_up_the_table(dynamodb, table, segments, total):
    whole = dynamodb.scan(TableName=table)["Items"]
    parts = segments(total)
    assert [item for part in parts for item in part] == whole


# The pages of a segment are those of the segment, whatever their size.
def test_pages_of_segments(segments):
    assert segments(4, Limit=1) == segments(4, Limit=5) == segments(4)


# A partition is not cut in two: it has one hash.
def test_partitions_are_not_split(segments):
    for part in segments(16):
        keys = [item["pk"]["S"] for item in part]
        assert all(keys.count(key) == 2 for key in keys)


# Hashes spread: workers that share a table by segments all have something to do.
def test_segments_are_alike(segments):
    sizes = [len(part) for part in segments(4)]
    share = PARTITIONS * 2 / 4
    assert min(sizes) > share / 4, sizes


# As many segments as the API takes: most are empty, none is an error. Source: the model.
@pytest.mark.parametrize("segment", [0, 1, 499_999, 999_999])
def test_a_million_segments(dynamodb, table, segment):
    told = answer(dynamodb.scan, TableName=table, Segment=segment, TotalSegments=1_000_000)
    assert told["Count"] <= 2
    assert "LastEvaluatedKey" not in told


# One segment is the whole table.
def test_one_segment(dynamodb, table):
    told = answer(dynamodb.scan, TableName=table, Segment=0, TotalSegments=1)
    assert told == answer(dynamodb.scan, TableName=table)


# Catalogue 132: a key of one segment does not go on in another.
def test_starting_key_of_another_segment(dynamodb, table, segments):
    first, second = segments(2)
    for segment, items in ((0, second), (1, first)):
        told = refusal(
            dynamodb.scan,
            TableName=table,
            Segment=segment,
            TotalSegments=2,
            ExclusiveStartKey=items[0],
        )
        text = (
            "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
            f"ExclusiveStartKey with correct Segment. TotalSegments: 2 Segment: {segment}"
        )
        assert told == (VALIDATION, text)


# The key need not be an item's, if it would be one of the segment.
def test_starting_key_without_an_item(dynamodb, table, segments):
    for segment, items in enumerate(segments(2)):
        told = dynamodb.scan(
            TableName=table,
            Segment=segment,
            TotalSegments=2,
            ExclusiveStartKey={"pk": items[0]["pk"], "sk": {"S": "aa"}},
        )
        assert told["Items"] == items[1:]
