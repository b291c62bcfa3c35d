import json

import pytest

from hashrange.tools.copying.items import BATCH_BYTES_MAX, batches


def items(count, size):
    return [
        json.dumps({"pk": {"S": str(at)}, "x": {"S": "x" * size}}).encode() for at in range(count)
    ]


@pytest.mark.parametrize(
    ("count", "size", "lengths"),
    [
        (0, 1, []),
        (25, 1, [25]),
        (26, 1, [25, 1]),
        (60, 1, [25, 25, 10]),
        # Some of the largest items, and one whose JSON alone is more than a batch should be.
        (5, BATCH_BYTES_MAX // 2 - 100, [2, 2, 1]),
        (2, BATCH_BYTES_MAX, [1, 1]),
    ],
)
def test_batches_are_bounded_by_count_and_bytes(count, size, lengths):
    made = list(batches(items(count, size)))
    assert [len(batch) for batch in made] == lengths
    puts = [json.loads(put)["PutRequest"]["Item"]["pk"]["S"] for batch in made for put in batch]
    assert puts == [str(at) for at in range(count)]
