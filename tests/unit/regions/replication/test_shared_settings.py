"""Indexes and time to live go from one server to another as a whole."""

import msgspec

from hashrange.model.replication import Register, Replica, Replication
from hashrange.model.table import Index, KeyAttribute, Throughput
from hashrange.regions.replication.shared_settings import adopted, settings_changed, shared_settings
from tests.unit.tables.definitions import NOON_MS, definition

EAST, WEST = "us-east-1", "eu-west-1"


def index(name="by-n", attribute="n", **more):
    key = KeyAttribute(attribute, "N")
    return Index(name=name, number=9, partition=(key,), projection="ALL", **more)


def replica(region=EAST, version=0, **settings):
    other = Replica(region=WEST if region == EAST else EAST, is_remote=True)
    replication = Replication(
        regions=(region, other.region), replicas=(other,), settings_version=(version, EAST)
    )
    return definition(number=7, region=region, replication=replication, next_index=3, **settings)


def told(**settings):
    return shared_settings(replica(WEST, 5, **settings))


def test_the_later_indexes_win():
    after = adopted(replica(version=4), told(indexes=(index(),)), NOON_MS)
    assert [each.name for each in after.indexes] == ["by-n"]
    assert after.replication.settings_version == (5, EAST)
    for version in (5, 6):
        before = replica(version=version)
        assert adopted(before, told(indexes=(index(),)), NOON_MS) == before


def test_indexes_are_built_and_removed():
    before = replica(indexes=(index("gone"), index("kept")))
    after = adopted(before, told(indexes=(index("kept"), index("new"))), NOON_MS)
    assert [(each.name, each.number, each.state) for each in after.indexes] == [
        ("gone", 9, "DELETING"),
        ("kept", 9, "ACTIVE"),
        ("new", 3, "BUILDING"),
    ]
    assert after.next_index == 4


def test_an_index_of_another_form_is_removed_before_it_is_built():
    before = replica(indexes=(index(attribute="m"),))
    ending = adopted(before, told(indexes=(index(),)), NOON_MS)
    assert [each.state for each in ending.indexes] == ["DELETING"]
    assert ending.replication.settings_version == (0, EAST)
    assert adopted(ending, told(indexes=(index(),)), NOON_MS) == ending
    after = adopted(replica(), told(indexes=(index(),)), NOON_MS)
    assert [(each.name, each.state) for each in after.indexes] == [("by-n", "BUILDING")]


def test_time_to_live_begins_and_ends():
    expiry = Index(
        name="", number=9, partition=(), sort=(KeyAttribute("t", "N"),), projection="KEYS_ONLY"
    )
    begun = adopted(replica(), told(expiry=expiry), NOON_MS)
    assert (begun.expiry.number, begun.expiry.state) == (3, "BUILDING")
    ended = adopted(replica(expiry=expiry), told(), NOON_MS)
    assert (ended.expiry.state, ended.expiry_changed_ms) == ("DELETING", NOON_MS)
    other = Index(
        name="", number=9, partition=(), sort=(KeyAttribute("u", "N"),), projection="KEYS_ONLY"
    )
    changed = adopted(replica(expiry=other), told(expiry=expiry), NOON_MS)
    assert (changed.expiry.state, changed.replication.settings_version[0]) == ("DELETING", 0)


def test_what_is_being_removed_is_not_told():
    settings = told(indexes=(index(), index("old", state="DELETING")))
    assert [each.name for each in settings.indexes] == ["by-n"]


def test_each_change_has_a_later_version():
    before = replica(version=NOON_MS * 1000 + 5)
    after = settings_changed(before, msgspec.structs.replace(before, indexes=(index(),)), NOON_MS)
    assert after.replication.settings_version == (NOON_MS * 1000 + 6, EAST)
    # Units are changed by auto scaling: that must not undo what is done to indexes elsewhere.
    more = msgspec.structs.replace(after, throughput=Throughput(write_units=9))
    same = settings_changed(after, more, NOON_MS)
    assert same.replication.settings_version == after.replication.settings_version
    assert same.replication.registers["write"] == Register(9, (NOON_MS * 1000 + 7, EAST))
    alone = definition(number=1)
    assert settings_changed(alone, alone, NOON_MS) is alone
