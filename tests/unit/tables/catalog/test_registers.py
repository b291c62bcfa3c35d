"""Registers of settings: of each the last write wins, in whichever order they are heard."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from hashrange.model.replication import Overrides, Register, Replica, Replication
from hashrange.model.table import Index, KeyAttribute, OnDemandLimits, Throughput
from hashrange.tables.catalog.registers import (
    applied,
    merged_registers,
    next_version,
    noted,
    parts_of,
    register_name,
    with_registers,
    without_overrides_of,
)
from tests.unit.tables.definitions import NOON_MS, definition

EAST, WEST = "us-east-1", "eu-west-1"
BY_N = Index(
    name="by-n", number=1, partition=(KeyAttribute("n", "N"),), projection="ALL",
    throughput=Throughput(read_units=3, write_units=3),
)  # fmt: skip
NAMES = [
    register_name(field, index=index, region=region)
    for field in ("read", "max_read")
    for index in (None, "by-n")
    for region in (None, EAST, WEST)
]

versions = st.tuples(st.integers(1, 6), st.sampled_from([EAST, WEST]))
units = st.integers(1, 9)


def drawn(name):
    """A register; only those of units of all replicas always have a value."""
    field, _, region = parts_of(name)
    is_needed = field in {"read", "write"} and region is None
    return st.builds(Register, units if is_needed else st.none() | units, versions)


told = st.fixed_dictionaries(
    {}, optional={name: drawn(name) for name in [*NAMES, "write", "class"]}
)


def replica(region=EAST, **members):
    other = Replica(region=WEST if region == EAST else EAST, is_remote=True)
    group = Replication(regions=(region, other.region), replicas=(other,))
    return definition(region=region, indexes=(BY_N,), replication=group, **members)


def changed(table, **members):
    return msgspec.structs.replace(table, **members)


def overriding(table, region, overrides):
    """A replica that knows overrides of a region."""
    group = table.replication
    if region == table.region:
        return changed(table, replication=changed(group, overrides=overrides))
    replicas = tuple(changed(each, overrides=overrides) for each in group.replicas)
    return changed(table, replication=changed(group, replicas=replicas))


def heard(table, registers):
    mine = table.replication.registers
    return applied(with_registers(table, merged_registers(mine, registers)), NOON_MS)


@given(st.lists(told, max_size=5), st.randoms())
def test_the_order_and_the_number_of_messages_do_not_matter(messages, rng):
    one = other = replica()
    for message in messages:
        one = heard(one, message)
    again = [*messages, *messages]
    rng.shuffle(again)
    for message in again:
        other = heard(other, message)
    assert one.replication == other.replication
    assert one.throughput.read_units == other.throughput.read_units
    # When settings were changed here depends on the order: some change, and change back.
    times = {"throughput": one.throughput, "class_changed_ms": one.class_changed_ms}
    assert one == changed(other, indexes=one.indexes, **times)


@given(st.lists(told, max_size=5))
def test_what_is_applied_is_applied_once(messages):
    table = replica()
    for message in messages:
        table = heard(table, message)
    assert applied(table, NOON_MS + 1) == table
    assert with_registers(table, table.replication.registers) == table


@given(told)
def test_units_of_a_provisioned_table_are_never_none(message):
    for table in (heard(replica(), message), heard(replica(WEST), message)):
        for throughput in (table.throughput, *(each.throughput for each in table.indexes)):
            assert min(throughput.read_units, throughput.write_units) >= 1
        assert table.on_demand == OnDemandLimits()


def test_an_override_ends_by_a_later_change_of_all():
    own = {"read@us-east-1": Register(9, (2, EAST))}
    before, after = {"read": Register(5, (1, WEST))}, {"read": Register(7, (3, WEST))}
    table = heard(heard(replica(), own), before)
    assert table.throughput.read_units == 9
    assert table.replication.overrides == Overrides(read_units=9)
    table = heard(table, after)
    assert table.throughput.read_units == 7
    assert table.replication.overrides == Overrides()
    late = heard(heard(replica(), after), own)
    assert late.throughput.read_units == 7


def test_units_of_the_other_mode_have_no_effect():
    switched = {"billing": Register("PAY_PER_REQUEST", (2, EAST))}
    later = {"write": Register(50, (3, WEST)), "read@us-east-1": Register(9, (3, WEST))}
    table = heard(heard(replica(), switched), later)
    assert (table.throughput.read_units, table.throughput.write_units) == (0, 0)
    assert table.replication.overrides == Overrides()
    back = heard(table, {"billing": Register("PROVISIONED", (4, EAST))})
    assert (back.throughput.read_units, back.throughput.write_units) == (9, 50)


def test_a_request_notes_what_it_has_changed():
    before = noted(replica(), replica(), (1, EAST))
    after = changed(before, throughput=Throughput(read_units=5, write_units=8))
    registers = noted(before, after, (2, EAST)).replication.registers
    assert registers["write"] == Register(8, (2, EAST))
    assert registers["read"] == Register(5, (1, EAST))
    assert next_version(noted(before, after, (2 * NOON_MS * 1000, EAST)), NOON_MS) == (
        2 * NOON_MS * 1000 + 1, EAST,
    )  # fmt: skip


def test_units_of_one_replica_are_not_those_of_all():
    before = noted(replica(), replica(), (1, EAST))
    own = overriding(before, EAST, Overrides(read_units=9))
    own = changed(own, throughput=Throughput(read_units=9, write_units=5))
    after = noted(before, own, (2, EAST))
    assert after.replication.registers["read"] == Register(5, (1, EAST))
    assert after.replication.registers["read@us-east-1"] == Register(9, (2, EAST))
    # Those of all are no override.
    same = overriding(after, WEST, Overrides(read_units=5))
    assert noted(after, same, (3, EAST)).replication.replicas[0].overrides == Overrides()


def test_a_replica_that_is_added_again_has_no_overrides():
    table = heard(replica(), {"read@eu-west-1": Register(9, (2, EAST))})
    assert table.replication.replicas[0].overrides == Overrides(read_units=9)
    cleared = without_overrides_of(table, WEST, (3, EAST))
    assert cleared.replication.replicas[0].overrides == Overrides()


def test_registers_of_an_index_go_with_it():
    table = heard(replica(), {"read/by-n": Register(9, (2, EAST)), "read": Register(9, (2, EAST))})
    ending = changed(table, indexes=(changed(BY_N, state="DELETING"),))
    left = with_registers(ending, table.replication.registers).replication
    assert [*left.registers] == ["read"]
    assert left.registers_sum != table.replication.registers_sum


def test_names():
    for name in NAMES:
        field, index, region = parts_of(name)
        assert register_name(field, index=index, region=region) == name
