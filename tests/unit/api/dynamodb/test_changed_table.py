"""What UpdateTable makes of a table, by value: what changes, and what is asked too often."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.api.dynamodb.tables.update_table import changed_table
from hashrange.errors import DynamoError, Fault
from hashrange.model.structures.dynamodb import ProvisionedThroughput, UpdateTable
from hashrange.model.table import Throughput
from tests.unit.tables.definitions import HOUR_MS, NOON_MS, definition, on_demand

NOW_MS = NOON_MS + HOUR_MS
DAY_MS = 24 * HOUR_MS


def units(read, write):
    return ProvisionedThroughput(read_capacity_units=read, write_capacity_units=write)


def changed(table, now_ms=NOW_MS, **request):
    return changed_table(table, UpdateTable(**request), now_ms, 40_000)


def refused(table, now_ms=NOW_MS, **request):
    with pytest.raises(DynamoError) as error:
        changed(table, now_ms, **request)
    return error.value.fault, error.value.message


def replaced(table, **changes):
    return msgspec.structs.replace(table, **changes)


# Units equal to those of the table are a change where the mode is one.
def test_to_provisioned_with_no_units_more():
    table = replaced(on_demand(), throughput=Throughput(read_units=1, write_units=1))
    after = changed(table, billing_mode="PROVISIONED", provisioned_throughput=units(1, 1))
    assert after.billing_mode == "PROVISIONED"


def test_to_provisioned_with_more_than_a_table_may_have():
    request = {"billing_mode": "PROVISIONED", "provisioned_throughput": units(5, 40_001)}
    fault, text = refused(on_demand(), **request)
    assert fault is Fault.LIMIT_EXCEEDED
    assert text.startswith("The requested WriteCapacityUnits, 40001, is above the per table maxim")


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


# A row of the catalog from before there was any of this.
def test_older_definitions():
    old = definition(changed_ms=NOON_MS)
    stored = msgspec.json.encode(old)
    assert not {b"meanwhile", b"warm", b"on_demand", b"class_changes"} & set(stored.split(b'"'))
    assert msgspec.json.decode(stored, type=type(old)) == old
