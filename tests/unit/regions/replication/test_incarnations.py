"""The incarnations of replicas grow, whatever the clock says."""

import pytest

from hashrange.model.replication import Replica, Replication
from hashrange.regions.replication.groups import next_incarnation

LATER_US = 5_000_000


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (Replication(regions=("a", "b")), 2_000_000),
        (Replication(regions=("a", "b"), gone={"b": LATER_US}), LATER_US + 1),
        (Replication(regions=("a", "b"), gone={"b": 1}), 2_000_000),
        (Replication(regions=("a", "b"), gone={"c": LATER_US}), 2_000_000),
        (
            Replication(regions=("a", "b"), replicas=(Replica(region="b", incarnation=LATER_US),)),
            LATER_US + 1,
        ),
    ],
    ids=["first", "clock behind", "removed before", "another region", "added again"],
)
def test_a_replica_that_is_added_again_is_later_than_the_last(group, expected):
    assert next_incarnation(group, "b", 2_000) == expected
