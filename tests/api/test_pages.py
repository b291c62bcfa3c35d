"""Pages of Query and Scan: where they end, and how they go on. Source of all: F.1."""

import pytest

from tests.api.items import answer, padding, values
from tests.api.walks import fill, sort_keys, walk, walked, within

PAGE_BYTES = 1024 * 1024
PART_BYTES = PAGE_BYTES // 16
LARGEST_BYTES = 400 * 1024


def sized(pk, sk, size):
    """An item of exactly `size` bytes, names included."""
    return {"pk": {"S": pk}, "sk": {"S": sk}, "a": padding(size - len(f"pk{pk}sk{sk}a"))}


# Partitions of one table: the sizes of their items, in the order of the sort keys a, b, c ...
SIZES = {
    # Sixteen items make exactly one page.
    "exact": [PART_BYTES] * 17,
    # Sixteen items are one byte short of a page, so the seventeenth is on it, whatever its size.
    "short": [PART_BYTES - 1, *[PART_BYTES] * 15, LARGEST_BYTES, 100, 100],
    # The third crosses the end of the page.
    "large": [LARGEST_BYTES] * 7,
    # 1,049 items of 1,000 bytes are the first that make a page.
    "small": [1000] * 1200,
}
PAGES = {"exact": [16, 1], "short": [17, 2], "large": [3, 3, 1], "small": [1049, 151]}
PAGES_BACKWARDS = {"exact": [16, 1], "short": [13, 6], "large": [3, 3, 1], "small": [1049, 151]}
DIRECTIONS = [(True, PAGES), (False, PAGES_BACKWARDS)]


@pytest.fixture(scope="module")
def partitions(dynamodb, new_table):
    """A table with those partitions: its name."""
    table = new_table(sk="S")
    for pk, sizes in SIZES.items():
        keys = [f"{number:04}" for number in range(len(sizes))]
        fill(dynamodb, table, map(sized, [pk] * len(keys), keys, sizes))
    return table


@pytest.fixture
def letters(dynamodb, composite, pk):
    """Items `a` to `e` of one partition, with their position as `n`."""
    made = [
        {"pk": {"S": pk}, "sk": {"S": letter}, "n": {"N": str(number)}}
        for number, letter in enumerate("abcde")
    ]
    fill(dynamodb, composite, made)
    return made


# An item is on the page if what is before it is less than 1 MB: the one that crosses is on it.
@pytest.mark.parametrize(("forward", "pages"), DIRECTIONS)
@pytest.mark.parametrize("pk", SIZES)
def test_page_ends_with_the_item_that_makes_a_megabyte(dynamodb, partitions, pk, forward, pages):
    told = walk(dynamodb.query, TableName=partitions, **within(pk), ScanIndexForward=forward)
    assert [page["ScannedCount"] for page in told] == pages[pk]
    assert [page["Count"] for page in told] == pages[pk]
    keys = [key for page in told for key in sort_keys(page["Items"])]
    assert keys == sorted(keys, reverse=not forward)
    assert len(keys) == len(set(keys)) == len(SIZES[pk])


# What is answered does not count, but what is evaluated: neither a projection, nor a filter, nor
# COUNT makes a page longer.
@pytest.mark.parametrize(
    "more",
    [
        {"ProjectionExpression": "sk"},
        {"FilterExpression": "attribute_exists(b)"},
        {"FilterExpression": "attribute_exists(a)", "ProjectionExpression": "sk"},
        {"Select": "COUNT"},
    ],
)
@pytest.mark.parametrize("pk", SIZES)
def test_what_is_answered_does_not_move_the_end_of_a_page(dynamodb, partitions, pk, more):
    told = walk(dynamodb.query, TableName=partitions, **within(pk), **more)
    assert [page["ScannedCount"] for page in told] == PAGES[pk]


# A page of which nothing passes the filter is empty and is not the end.
def test_empty_page_is_not_the_last_one(dynamodb, partitions):
    request = within("large", FilterExpression="begins_with(a, :a)")
    request["ExpressionAttributeValues"][":a"] = {"S": "y"}
    told = walk(dynamodb.query, TableName=partitions, **request)
    keys = [page.pop("LastEvaluatedKey", None) for page in told]
    assert told == [{"Items": [], "Count": 0, "ScannedCount": count} for count in (3, 3, 1)]
    assert keys == [
        {"pk": {"S": "large"}, "sk": {"S": "0002"}},
        {"pk": {"S": "large"}, "sk": {"S": "0005"}},
        None,
    ]


# Whichever comes first.
@pytest.mark.parametrize(
    ("limit", "pages"), [(1, [1] * 7), (2, [2, 2, 2, 1]), (3, [3, 3, 1]), (4, [3, 3, 1])]
)
def test_limit_and_size(dynamodb, partitions, limit, pages):
    told = walk(dynamodb.query, TableName=partitions, **within("large", Limit=limit))
    assert [page["ScannedCount"] for page in told if page["ScannedCount"]] == pages


# A key condition counts before the limit and the size: what it leaves out is not evaluated.
def test_key_condition_comes_before_the_limit(dynamodb, partitions):
    told = answer(
        dynamodb.query,
        TableName=partitions,
        KeyConditionExpression="pk = :pk AND sk >= :sk",
        ExpressionAttributeValues=values(pk={"S": "small"}, sk={"S": "1190"}),
        ProjectionExpression="sk",
    )
    assert told["ScannedCount"] == 10
    assert sort_keys(told["Items"]) == [f"{number:04}" for number in range(1190, 1200)]


# A scan ends its pages by the same rule, over the borders of partitions.
def test_scan_ends_pages_by_size(dynamodb, partitions):
    told = walk(dynamodb.scan, TableName=partitions)
    items = [item for page in told for item in page["Items"]]
    assert len(items) == sum(map(len, SIZES.values()))
    assert len({(item["pk"]["S"], item["sk"]["S"]) for item in items}) == len(items)
    for page in told:
        sizes = [SIZES[item["pk"]["S"]][int(item["sk"]["S"])] for item in page["Items"]]
        assert sum(sizes[:-1]) < PAGE_BYTES
        assert ("LastEvaluatedKey" in page) == (sum(sizes) >= PAGE_BYTES)


# Pages of any length lose nothing and repeat nothing, in both directions.
@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6])
def test_walk_in_pages_is_the_whole(dynamodb, composite, pk, letters, limit, forward):
    request = {"TableName": composite, "ScanIndexForward": forward}
    told = walk(dynamodb.query, **request, **within(pk, Limit=limit))
    whole = letters if forward else letters[::-1]
    assert [item for page in told for item in page["Items"]] == whole
    assert all(page["ScannedCount"] == limit for page in told[:-1])


# The limit is of items evaluated, and so are pages: a walk with a filter has empty ones.
def test_limit_comes_before_the_filter(dynamodb, composite, pk, letters):
    request = within(pk, FilterExpression="n = :n", Limit=2)
    request["ExpressionAttributeValues"][":n"] = {"N": "3"}
    told = walk(dynamodb.query, TableName=composite, **request)
    assert [(page["Count"], page["ScannedCount"]) for page in told] == [(0, 2), (1, 2), (0, 1)]
    assert [page["Items"] for page in told] == [[], [letters[3]], []]


# The last key is that of the last item evaluated, not of the last one answered.
def test_last_key_is_of_the_last_item_evaluated(dynamodb, composite, pk, letters):
    request = within(pk, FilterExpression="n < :n", Limit=4)
    request["ExpressionAttributeValues"][":n"] = {"N": "2"}
    told = dynamodb.query(TableName=composite, **request)
    assert told["Items"] == letters[:2]
    assert told["LastEvaluatedKey"] == {"pk": {"S": pk}, "sk": {"S": "d"}}


# A page that is shorter than asked for is the last one, and says so by having no key.
@pytest.mark.parametrize("limit", [6, 7, 2**31 - 1])
def test_last_page_has_no_key(dynamodb, composite, pk, letters, limit):
    told = answer(dynamodb.query, TableName=composite, **within(pk, Limit=limit))
    assert told == {"Items": letters, "Count": 5, "ScannedCount": 5}


# A page that ends on the very last item does not know it: an empty one follows. Verified.
def test_page_that_ends_on_the_last_item(dynamodb, composite, pk, letters):
    told = walk(dynamodb.query, TableName=composite, **within(pk, Limit=5))
    last = {"pk": {"S": pk}, "sk": {"S": "e"}}
    assert told == [
        {"Items": letters, "Count": 5, "ScannedCount": 5, "LastEvaluatedKey": last},
        {"Items": [], "Count": 0, "ScannedCount": 0},
    ]


# The key need not be an item's: whoever deletes while walking goes on, and anybody may begin
# wherever he likes.
@pytest.mark.parametrize(
    ("start", "after", "before"),
    [
        ("A", "abcde", ""),
        ("a", "bcde", ""),
        ("aa", "bcde", "a"),
        ("c", "de", "ab"),
        ("c\x00", "de", "abc"),
        ("e", "", "abcd"),
        ("f", "", "abcde"),
    ],
)
def test_starting_key_is_any_key(dynamodb, composite, pk, letters, start, after, before):
    request = {
        "TableName": composite,
        **within(pk),
        "ExclusiveStartKey": {"pk": {"S": pk}, "sk": {"S": start}},
    }
    assert sort_keys(dynamodb.query(**request)["Items"]) == list(after)
    backwards = dynamodb.query(**request, ScanIndexForward=False)
    assert sort_keys(backwards["Items"]) == list(before)[::-1]


# A walk within bounds stays within them, in both directions.
@pytest.mark.parametrize(("forward", "keys"), [(True, "bcd"), (False, "dcb")])
def test_walk_within_a_key_condition(dynamodb, composite, pk, letters, forward, keys):
    told = walked(
        dynamodb.query,
        TableName=composite,
        KeyConditionExpression="pk = :pk AND sk BETWEEN :low AND :high",
        ExpressionAttributeValues=values(pk={"S": pk}, low={"S": "aa"}, high={"S": "d"}),
        ScanIndexForward=forward,
        Limit=1,
    )
    assert sort_keys(told) == list(keys)


# The key comes from the item, so its numbers are canonical; any way to write them goes on.
def test_last_key_has_canonical_numbers(dynamodb, numbered, pk):
    items = [{"pk": {"S": pk}, "sk": {"N": number}} for number in ("1.50", "20e-1", "3")]
    fill(dynamodb, numbered, items)
    told = dynamodb.query(TableName=numbered, **within(pk, Limit=1))
    assert told["LastEvaluatedKey"] == {"pk": {"S": pk}, "sk": {"N": "1.5"}}
    start = {"pk": {"S": pk}, "sk": {"N": "150e-2"}}
    rest = dynamodb.query(TableName=numbered, **within(pk), ExclusiveStartKey=start)
    assert sort_keys(rest["Items"]) == ["2", "3"]


# What is written behind the walk is not seen, what is written before it is; nothing else moves.
def test_writes_during_a_walk(dynamodb, composite, pk, letters):
    request = {"TableName": composite, **within(pk, Limit=2)}
    start = dynamodb.query(**request)["LastEvaluatedKey"]
    fill(dynamodb, composite, [{"pk": {"S": pk}, "sk": {"S": key}} for key in ("aa", "bb")])
    for key in "bd":
        dynamodb.delete_item(TableName=composite, Key={"pk": {"S": pk}, "sk": {"S": key}})
    rest = walked(dynamodb.query, **request, ExclusiveStartKey=start)
    assert sort_keys(rest) == ["bb", "c", "e"]


# A scan goes on after a key as a query does, also in a table without sort key.
def test_scan_goes_on_after_any_key(dynamodb, new_table):
    table = new_table()
    fill(dynamodb, table, [{"pk": {"S": letter}} for letter in "abcde"])
    whole = dynamodb.scan(TableName=table)["Items"]
    for position, key in enumerate(whole):
        told = dynamodb.scan(TableName=table, ExclusiveStartKey=key)
        assert told["Items"] == whole[position + 1 :]
    # Somewhere between two of the items, or before or after all of them.
    dynamodb.delete_item(TableName=table, Key=whole[2])
    told = dynamodb.scan(TableName=table, ExclusiveStartKey=whole[2])
    assert told["Items"] == whole[3:]


# The pages of a scan by limit, with a filter: as those of a query.
def test_scan_limit_comes_before_the_filter(dynamodb, new_table):
    table = new_table()
    fill(dynamodb, table, [{"pk": {"S": letter}, "n": {"N": "1"}} for letter in "abcde"])
    told = walk(dynamodb.scan, TableName=table, Limit=2, FilterExpression="attribute_not_exists(n)")
    keys = [page.pop("LastEvaluatedKey", None) for page in told]
    assert told == [{"Items": [], "Count": 0, "ScannedCount": count} for count in (2, 2, 1)]
    assert keys[0] is not None
    assert keys[2] is None
