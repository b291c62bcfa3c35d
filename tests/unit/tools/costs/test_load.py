"""The units of a load, by value: examples of the Developer Guide, and others."""

import pytest

from hashrange.tools.costs.load import Load, load_units


# Developer Guide: a strongly consistent read of 8 KB needs two units, an eventually consistent one
# unit, a transactional one four; a write of 3 KB three units, in a transaction six.
@pytest.mark.parametrize(
    ("size", "consistency", "reads", "writes"),
    [
        (8192, "strong", 2, 8),
        (8192, "eventual", 1, 8),
        (8192, "transactional", 4, 16),
        (3072, "eventual", 0.5, 3),
        (3072, "transactional", 2, 6),
        (1, "eventual", 0.5, 1),
        (4097, "strong", 2, 5),
        (1025, "transactional", 2, 4),
    ],
)
def test_units_of_one_request(size, consistency, reads, writes):
    found = load_units(Load(item_bytes=size, reads=1, writes=1, consistency=consistency))
    assert (found.read_units, found.write_units, found.index_write_units) == (reads, writes, 0)


# A transaction doubles the units of the table, not those of its indexes.
def test_indexes():
    load = Load(
        item_bytes=2500,
        reads=100,
        writes=10,
        consistency="transactional",
        index_count=2,
        index_item_bytes=300,
    )
    found = load_units(load)
    assert (found.read_units, found.write_units, found.index_write_units) == (200, 60, 20)
    assert found.arithmetic == [
        "reads: 2.44141 KB / 4 KB, rounded up = 1; 100 a second x 1 x 2 (transactional) = 200",
        "writes: 2.44141 KB / 1 KB, rounded up = 3; 10 a second x 3 x 2 (transactional) = 60",
        "writes of indexes: 0.292969 KB / 1 KB, rounded up = 1; 10 a second x 2 x 1 = 20",
    ]


def test_an_entry_has_the_size_of_the_item_by_default():
    assert (
        load_units(Load(item_bytes=2048, reads=0, writes=1, index_count=1)).index_write_units == 2
    )
