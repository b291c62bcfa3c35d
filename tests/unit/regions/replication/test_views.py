"""Views of groups of replicas become one, in whichever order they arrive."""

from hypothesis import given
from hypothesis import strategies as st

from hashrange.model.replication import Replica, Replication
from hashrange.regions.replication.views import (
    GONE,
    Member,
    View,
    merged,
    recopied,
    remote_number,
    view_of,
    with_copied,
    without_gone,
)
from hashrange.tables.log.shards import with_stream
from tests.unit.tables.definitions import NOON_MS, definition

EAST, WEST, SOUTH = "us-east-1", "eu-west-1", "ap-south-1"
STATES = ("CREATING", "CREATION_FAILED", "ACTIVE", "DELETING", GONE)

members = st.builds(Member, st.integers(1, 3), st.sampled_from(STATES))
views = st.builds(
    lambda found: View("group", found, (EAST, WEST, SOUTH), (0, "")),
    st.dictionaries(st.sampled_from([WEST, SOUTH]), members),
)


def replica(*others, **replication):
    table = definition(
        number=7,
        region=EAST,
        replication=Replication(
            regions=(EAST, WEST, SOUTH), replicas=others, group="group", **replication
        ),
    )
    return with_stream(table, "NEW_AND_OLD_IMAGES", 1, NOON_MS)


def seen(table):
    return view_of(table).members


@given(st.lists(views, max_size=5), st.randoms())
def test_views_are_merged_in_any_order_and_any_number_of_times(found, rng):
    one = other = replica()
    for view in found:
        one = merged(one, view, NOON_MS)
    shuffled = [*found, *found]
    rng.shuffle(shuffled)
    for view in shuffled:
        other = merged(other, view, NOON_MS)
    assert seen(one) == seen(other)


@given(views, views)
def test_two_sides_that_tell_each_other_agree(one, two):
    left, right = merged(replica(), one, NOON_MS), merged(replica(), two, NOON_MS)
    assert seen(merged(left, view_of(right), NOON_MS)) == seen(
        merged(right, view_of(left), NOON_MS)
    )


@given(views)
def test_what_is_known_changes_nothing(view):
    table = merged(replica(), view, NOON_MS)
    assert merged(table, view, NOON_MS) is table
    assert merged(table, view_of(table), NOON_MS) is table


def test_another_group_changes_nothing():
    table = replica()
    view = View("other", {WEST: Member(1, "ACTIVE")}, (WEST,), (0, ""))
    assert merged(table, view, NOON_MS) is table


def test_a_new_replica_gets_what_was_written_here_and_the_log_from_now_on():
    table = replica()
    view = View("group", {WEST: Member(5, "CREATING")}, (EAST, WEST), (0, ""))
    (other,) = merged(table, view, NOON_MS).replication.replicas
    assert other == Replica(
        region=WEST, state="CREATING", first_shard=2, incarnation=5, is_remote=True, copy="OWN"
    )
    assert [each.number for each in merged(table, view, NOON_MS).log.open_shards] == [2]


def test_a_replica_that_others_remove_ends():
    table = replica(Replica(region=WEST, is_remote=True), incarnation=4)
    going = View("group", {EAST: Member(4, "DELETING")}, (EAST, WEST), (0, ""))
    assert merged(table, going, NOON_MS).replication.is_leaving
    earlier = View("group", {EAST: Member(3, GONE)}, (EAST, WEST), (0, ""))
    assert merged(table, earlier, NOON_MS) is table


def test_a_replica_that_was_given_up_is_a_table_of_one_region():
    table = replica(Replica(region=WEST, incarnation=2, is_remote=True), incarnation=4)
    view = View("group", {EAST: Member(4, GONE)}, (EAST, WEST), (0, ""))
    left = merged(table, view, NOON_MS).replication
    assert (left.replicas, left.gone) == ((), {WEST: 2})


def test_when_one_has_left_the_others_send_all():
    south = Replica(region=SOUTH, is_remote=True)
    table = replica(Replica(region=WEST, incarnation=2, is_remote=True), south)
    view = View("group", {WEST: Member(2, GONE)}, (EAST, WEST), (0, ""))
    for left in (merged(table, view, NOON_MS), without_gone(table, WEST)):
        (other,) = left.replication.replicas
        assert (other.region, other.copy, left.replication.gone) == (SOUTH, "ALL", {WEST: 2})


def test_copies_begin_with_a_cut_and_end():
    table = replica(Replica(region=WEST, incarnation=2, is_remote=True))
    again = recopied(table, WEST, NOON_MS)
    assert again.replication.replicas[0].copy == "OWN"
    assert again.replication.replicas[0].first_shard == 2
    assert recopied(again, WEST, NOON_MS, is_all=True).replication.replicas[0].copy == "ALL"
    assert with_copied(again, WEST, 1).replication.replicas[0].copy == "OWN"
    assert with_copied(again, WEST, 2).replication.replicas[0].copy == "NONE"


def test_numbers_of_replicas_on_other_servers_are_no_tables():
    assert [remote_number(replica(), region) for region in (WEST, SOUTH)] == [2**31 + 1, 2**31 + 2]
