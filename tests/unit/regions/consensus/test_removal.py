"""Which entries are removed: what all have, and beyond a bound what one away lacks."""

import pytest

from hashrange.regions.consensus.log import Log, LogBounds, removable
from hashrange.regions.consensus.messages import Entry, Position

SMALL = LogBounds(
    removed_min=10, removed_max=50, entries_max=100, bytes_max=2000, witness_bytes_max=5000
)


def removed(count, applied, held, *, size=1, base=0, is_witness=False):
    log = Log(Position(1, base), [Entry(1, b"x" * size)] * count)
    return removable(log, applied, held, is_witness=is_witness, bounds=SMALL)


@pytest.mark.parametrize(
    ("what", "index"),
    [
        ({"count": 9, "applied": 9, "held": 9}, 0),
        ({"count": 30, "applied": 30, "held": 20}, 20),
        ({"count": 30, "applied": 15, "held": 20}, 15),
        ({"count": 30, "applied": 130, "held": 105, "base": 100}, 100),
        ({"count": 90, "applied": 90, "held": 0}, 0),
        # Too many entries, or bytes: the older half.
        ({"count": 102, "applied": 100, "held": 0}, 50),
        ({"count": 30, "applied": 20, "held": 0, "size": 100}, 10),
        ({"count": 30, "applied": 20, "held": 15, "size": 100}, 15),
        # In portions.
        ({"count": 90, "applied": 90, "held": 90}, 50),
        # A witness keeps more.
        ({"count": 102, "applied": 102, "held": 0, "is_witness": True}, 0),
        ({"count": 30, "applied": 20, "held": 0, "size": 100, "is_witness": True}, 0),
        ({"count": 60, "applied": 40, "held": 0, "size": 100, "is_witness": True}, 20),
    ],
)
def test_so_far_entries_are_removed(what, index):
    assert removed(**what) == index
