"""Sizes by partition key, if a large collection is divided between segments."""

import json

from hashrange.api.steps.operation import Caller
from hashrange.tools.copying.place import TableRef
from hashrange.tools.scanning.jobs import Totals
from hashrange.tools.scanning.segments import ScanTarget
from hashrange.tools.scanning.sizes import SizeCounter

TARGET = ScanTarget(
    table=TableRef("orders", Caller("0", "r", "h")),
    index=None,
    key_names=["pk", "sk"],
    own_key_names=["pk", "sk"],
    items=0,
    size_bytes=0,
    created=0.0,
)


def item(key, sort):
    return json.dumps({"pk": {"S": key}, "sk": {"N": str(sort)}}).encode()


def test_collections_are_joined_over_segments():
    counter = SizeCounter(TARGET, 3)
    for segment, keys in enumerate(["aab", "bbb", "bcc"]):
        for sort, key in enumerate(keys, start=1):
            counter.add(segment, item(key, sort))
    found = counter.sizes(Totals())
    assert [(each.key, each.items) for each in found.fullest_partition_keys] == [
        ("b", 5),
        ("a", 2),
        ("c", 2),
    ]
    assert found.partition_key_items.total == 9
    assert found.items.total == found.partition_key_bytes.total == 9 * (3 + 4)


def test_only_the_largest_are_kept():
    counter = SizeCounter(TARGET, 1)
    for number in range(1000):
        counter.add(0, item(f"{number:04}" + "x" * (number % 50), 1))
    found = counter.sizes(Totals())
    assert len(found.largest_items) == len(found.largest_partition_keys) == 10
    assert found.largest_items[0].bytes == found.items.most == 2 + 53 + 2 + 2
