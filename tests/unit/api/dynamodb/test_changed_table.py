"""What UpdateTable makes of a table, by value: what changes, and what is asked too often."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.dynamodb.tables.update_table import changed_table
from hashrange.errors import DynamoError, Fault
from hashrange.model.structures.dynamodb import (
    OnDemandThroughput,
    ProvisionedThroughput,
    UpdateTable,
    WarmThroughput,
)
from hashrange.model.table import OnDemandLimits, Throughput, VisibleSettings, WarmUnits
from tests.rows import rows
from tests.unit.tables.definitions import HOUR_MS, NOON_MS, definition, on_demand

NOW_MS = NOON_MS + HOUR_MS
DAY_MS = 24 * HOUR_MS
FIVES = Throughput(read_units=5, write_units=5)
INITIAL = WarmUnits(read_units=12_000, write_units=4_000)


def units(read, write):
    return ProvisionedThroughput(read_capacity_units=read, write_capacity_units=write)


def maxima(read=None, write=None):
    return OnDemandThroughput(max_read_request_units=read, max_write_request_units=write)


def warm(read=None, write=None):
    return WarmThroughput(read_units_per_second=read, write_units_per_second=write)


def changed(table, now_ms=NOW_MS, **request):
    return changed_table(table, UpdateTable(**request), now_ms, 40_000)


def refused(table, now_ms=NOW_MS, **request):
    with pytest.raises(DynamoError) as error:
        changed(table, now_ms, **request)
    return error.value.fault, error.value.message


def shown(**changes):
    """What is shown of `definition()` while it is being changed."""
    members = {"throughput": FIVES, "warm": WarmUnits(read_units=5, write_units=5), **changes}
    return VisibleSettings(at_ms=NOW_MS, **members)


def replaced(table, **changes):
    return msgspec.structs.replace(table, **changes)


# The old units are shown with the new date until the change is complete. Measured by users, 2026.
def test_units():
    after = changed(definition(), provisioned_throughput=units(9, 9))
    assert after == replaced(
        definition(),
        throughput=Throughput(read_units=9, write_units=9, increased_ms=NOW_MS),
        warm=WarmUnits(read_units=5, write_units=5),
        changed_ms=NOW_MS,
        meanwhile=shown(throughput=FIVES),
    )


# The old count too.
def test_units_that_are_lowered():
    after = changed(definition(), provisioned_throughput=units(1, 1))
    assert after.throughput.decreases_today == 1
    assert after.meanwhile.throughput == replaced(FIVES, decreased_ms=NOW_MS)


# The mode that the table has may be said again.
def test_units_with_the_same_mode():
    request = {"provisioned_throughput": units(9, 9)}
    assert changed(definition(), billing_mode="PROVISIONED", **request) == changed(
        definition(), **request
    )


# Dates and count of decreases outlive the units, and the switch is none, though until it is
# complete it is shown as if it were. Measured by users, 2026.
def test_to_on_demand():
    old = replaced(FIVES, increased_ms=NOON_MS, decreased_ms=NOON_MS, decreases_today=2)
    after = changed(definition(throughput=old), billing_mode="PAY_PER_REQUEST")
    none = replaced(old, read_units=0, write_units=0)
    assert after == replaced(
        definition(),
        billing_mode="PAY_PER_REQUEST",
        billing_switched_ms=NOW_MS,
        on_demand_switches_ms=(NOW_MS,),
        throughput=none,
        warm=WarmUnits(read_units=5, write_units=5),
        changed_ms=NOW_MS,
        meanwhile=shown(throughput=replaced(none, decreased_ms=NOW_MS)),
    )


# The date is that of the last switch to on demand, not of a request that changes nothing.
def test_on_demand_again():
    assert changed(on_demand(), billing_mode="PAY_PER_REQUEST") == on_demand()


# New units are no increase, though shown as one until the switch is complete; maxima go with the
# mode. Measured, 2026.
def test_to_provisioned():
    table = on_demand(on_demand=OnDemandLimits(max_read_units=7))
    after = changed(table, billing_mode="PROVISIONED", provisioned_throughput=units(3, 2))
    throughput = Throughput(read_units=3, write_units=2)
    assert after == replaced(
        on_demand(),
        billing_mode="PROVISIONED",
        throughput=throughput,
        warm=INITIAL,
        changed_ms=NOW_MS,
        meanwhile=shown(
            throughput=replaced(throughput, increased_ms=NOW_MS),
            warm=INITIAL,
            billing_switched_ms=NOON_MS,
        ),
    )


# Units equal to those of the table are a change where the mode is one.
def test_to_provisioned_with_no_units_more():
    table = replaced(on_demand(), throughput=Throughput(read_units=1, write_units=1))
    after = changed(table, billing_mode="PROVISIONED", provisioned_throughput=units(1, 1))
    assert after.billing_mode == "PROVISIONED"


def back_and_forth(table, now_ms):
    """The table after a switch to on demand and back."""
    table = changed(table, now_ms, billing_mode="PAY_PER_REQUEST")
    return changed(table, now_ms, billing_mode="PROVISIONED", provisioned_throughput=units(5, 5))


# Four in any 24 hours; back is always possible. Source: Developer Guide, "Considerations when
# switching capacity modes". The text is that of 2019, with another number.
def test_switches_of_a_day():
    table = definition()
    for hour in range(4):
        table = back_and_forth(table, NOON_MS + hour * HOUR_MS)
    text = (
        "Subscriber limit exceeded: Update to PayPerRequest mode are limited to 4 in 1 "
        "day(s). Last update at Thu Jan 01 15:00:00 UTC 2026. Next update can be made at "
        "Fri Jan 02 12:00:00 UTC 2026"
    )
    last_ms = NOON_MS + DAY_MS - 1
    assert refused(table, last_ms, billing_mode="PAY_PER_REQUEST") == (Fault.LIMIT_EXCEEDED, text)
    table = back_and_forth(table, NOON_MS + DAY_MS)
    assert refused(table, NOON_MS + DAY_MS + HOUR_MS - 1, billing_mode="PAY_PER_REQUEST")
    assert back_and_forth(table, NOON_MS + DAY_MS + HOUR_MS)


# That the table was made on demand is no switch.
def test_new_on_demand_table_has_all_its_switches():
    table = changed(on_demand(), billing_mode="PROVISIONED", provisioned_throughput=units(5, 5))
    for _ in range(4):
        table = back_and_forth(table, NOON_MS)
    assert refused(table, NOON_MS, billing_mode="PAY_PER_REQUEST")[0] is Fault.LIMIT_EXCEEDED


# Against the obvious model: the list of all switches. What is kept of them has a bound.
@given(st.lists(st.sampled_from([0, HOUR_MS, DAY_MS // 4, DAY_MS // 4 + 1, DAY_MS]), max_size=30))
def test_any_switches(pauses):
    table, now_ms, made = definition(), NOON_MS, []
    for pause_ms in pauses:
        now_ms += pause_ms
        recent = [at_ms for at_ms in made if now_ms - at_ms < DAY_MS]
        if len(recent) < 4:
            table = back_and_forth(table, now_ms)
            made.append(now_ms)
        else:
            assert refused(table, now_ms, billing_mode="PAY_PER_REQUEST")[0] is Fault.LIMIT_EXCEEDED
        assert len(table.on_demand_switches_ms) <= 4


# Until the change is complete the old class is shown. Measured by users, 2026.
def test_table_class():
    after = changed(definition(), table_class="STANDARD_INFREQUENT_ACCESS")
    assert after == replaced(
        definition(),
        table_class="STANDARD_INFREQUENT_ACCESS",
        class_changed_ms=NOW_MS,
        class_changes_ms=(NOW_MS,),
        changed_ms=NOW_MS,
        meanwhile=shown(),
    )


# A table for which no class was chosen is STANDARD; to say so leaves no trace. Measured by users,
# 2026.
@pytest.mark.parametrize(
    ("table_class", "same"),
    [
        (None, "STANDARD"),
        ("STANDARD", "STANDARD"),
        ("STANDARD_INFREQUENT_ACCESS", "STANDARD_INFREQUENT_ACCESS"),
    ],
)
def test_same_table_class(table_class, same):
    table = definition(table_class=table_class)
    assert changed(table, table_class=same) == table


# Two changes in any 30 days, then not even the class that it has. Measured by users, 2026.
def test_table_classes_of_a_month():
    month_ms = 30 * DAY_MS
    table = changed(definition(), NOON_MS, table_class="STANDARD_INFREQUENT_ACCESS")
    assert changed(table, NOON_MS, table_class="STANDARD_INFREQUENT_ACCESS") == table
    table = changed(table, NOW_MS, table_class="STANDARD")
    text = "Subscriber limit exceeded: Updates to TableClass are limited to 2 times in 30 day(s)."
    for name in ("STANDARD", "STANDARD_INFREQUENT_ACCESS"):
        told = refused(table, NOON_MS + month_ms - 1, table_class=name)
        assert told == (Fault.LIMIT_EXCEEDED, text)
    table = changed(table, NOON_MS + month_ms, table_class="STANDARD_INFREQUENT_ACCESS")
    assert table.class_changes_ms == (NOW_MS, NOON_MS + month_ms)


# At once: the table is not UPDATING for it. Measured by users, 2026.
@pytest.mark.parametrize("protected", [True, False])
def test_deletion_protection(protected):
    table = definition(deletion_protection=not protected, tags={"a": "b"})
    after = changed(table, deletion_protection_enabled=protected)
    assert after == replaced(table, deletion_protection=protected)


# A member that is absent stays, -1 removes. Measured by users, 2026.
@pytest.mark.parametrize(
    ("asked", "merged"),
    [
        (maxima(read=7), OnDemandLimits(max_read_units=7, max_write_units=20)),
        (maxima(write=7), OnDemandLimits(max_read_units=10, max_write_units=7)),
        (maxima(1, 40_000), OnDemandLimits(max_read_units=1, max_write_units=40_000)),
        (maxima(read=-1), OnDemandLimits(max_write_units=20)),
        (maxima(-1, -1), OnDemandLimits()),
    ],
)
def test_on_demand_limits(asked, merged):
    table = on_demand(on_demand=OnDemandLimits(max_read_units=10, max_write_units=20))
    assert changed(table, on_demand_throughput=asked) == replaced(table, on_demand=merged)


# Maxima may come with the mode that they are for.
def test_on_demand_limits_with_the_mode():
    after = changed(definition(), billing_mode="PAY_PER_REQUEST", on_demand_throughput=maxima(5))
    assert after.on_demand == OnDemandLimits(max_read_units=5)


# The table itself stays as it is, not UPDATING; absent members stay. Measured by users, 2026.
@pytest.mark.parametrize(
    ("asked", "grown"),
    [
        (warm(12_001), WarmUnits(read_units=12_001, write_units=4_000)),
        (warm(write=4_001), WarmUnits(read_units=12_000, write_units=4_001)),
        (warm(12_000, 4_000), INITIAL),
        (warm(40_000, 40_000), WarmUnits(read_units=40_000, write_units=40_000)),
    ],
)
def test_warm_throughput(asked, grown):
    before = shown(throughput=Throughput(), warm=INITIAL, billing_switched_ms=NOON_MS)
    assert changed(on_demand(), warm_throughput=asked) == replaced(
        on_demand(), warm=grown, warm_changed_ms=NOW_MS, meanwhile=before
    )


# It is the most that ever was: units go down, it stays. Measured by users, 2026.
def test_warm_throughput_remembers():
    table = changed(definition(), provisioned_throughput=units(9, 2))
    table = changed(table, provisioned_throughput=units(1, 1))
    assert refused(table, warm_throughput=warm(8, 9))[0] is Fault.VALIDATION
    assert refused(table, warm_throughput=warm(9, 4))[0] is Fault.VALIDATION
    assert changed(table, warm_throughput=warm(9, 5)).warm == WarmUnits(read_units=9, write_units=5)
    table = changed(table, billing_mode="PAY_PER_REQUEST")
    table = changed(table, billing_mode="PROVISIONED", provisioned_throughput=units(1, 1))
    assert table.warm == INITIAL


# Catalogue 134, 147, 148 and 158 to 159; quotas measured by users, 2026.
@rows(
    ("table", "request_", "fault", "beginning"),
    [
        (
            definition(),
            {"provisioned_throughput": units(5, 5)},
            Fault.VALIDATION,
            "The provisioned throughput for the table will not change.",
        ),
        (
            definition(),
            {"provisioned_throughput": units(40_001, 5)},
            Fault.LIMIT_EXCEEDED,
            "The requested ReadCapacityUnits, 40001, is above the per table maximum",
        ),
        (
            on_demand(),
            {"billing_mode": "PROVISIONED", "provisioned_throughput": units(5, 40_001)},
            Fault.LIMIT_EXCEEDED,
            "The requested WriteCapacityUnits, 40001, is above the per table maximum",
        ),
        (
            on_demand(),
            {"provisioned_throughput": units(5, 5)},
            Fault.VALIDATION,
            "One or more parameter values were invalid: Neither ReadCapacityUnits nor",
        ),
        (
            definition(),
            {"on_demand_throughput": maxima(write=5)},
            Fault.VALIDATION,
            "One or more parameter values were invalid: MaxWriteRequestUnits for OnDemand",
        ),
        (
            on_demand(),
            {
                "billing_mode": "PROVISIONED",
                "provisioned_throughput": units(5, 5),
                "on_demand_throughput": maxima(-1),
            },
            Fault.VALIDATION,
            "One or more parameter values were invalid: MaxReadRequestUnits for OnDemand",
        ),
        (
            on_demand(),
            {"on_demand_throughput": maxima(write=40_001)},
            Fault.LIMIT_EXCEEDED,
            "Subscriber limit exceeded: Requested MaxWriteRequestUnits for OnDemandThroughput for",
        ),
        (
            on_demand(),
            {"warm_throughput": warm(40_001)},
            Fault.LIMIT_EXCEEDED,
            "Subscriber limit exceeded: Requested ReadUnitsPerSecond for WarmThroughput for table",
        ),
    ],
)
def test_refused(table, request_, fault, beginning):
    told, text = refused(table, **request_)
    assert told is fault
    assert text.startswith(beginning)


# A row of the catalog from before there was any of this.
def test_older_definitions():
    old = definition(changed_ms=NOON_MS)
    stored = msgspec.json.encode(old)
    assert not {b"meanwhile", b"warm", b"on_demand", b"class_changes"} & set(stored.split(b'"'))
    assert msgspec.json.decode(stored, type=type(old)) == old
