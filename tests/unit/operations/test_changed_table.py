"""What UpdateTable makes of a table, by value: what changes, and what stays."""

import msgspec
import pytest

from hashrange.errors import DynamoError, Fault
from hashrange.model.table import Throughput
from hashrange.operations.table_shapes import (
    ProvisionedThroughput,
    SSESpecification,
    StreamSpecification,
)
from hashrange.operations.update_table import UpdateTable, changed_table
from tests.unit.tables.definitions import HOUR_MS, NOON_MS, definition, on_demand

NOW_MS = NOON_MS + HOUR_MS


def units(read, write):
    return ProvisionedThroughput(read_capacity_units=read, write_capacity_units=write)


def changed(table, **request):
    return changed_table(table, UpdateTable(**request), NOW_MS)


def replaced(table, **changes):
    return msgspec.structs.replace(table, changed_ms=NOW_MS, **changes)


def test_units():
    throughput = Throughput(read_units=9, write_units=9, increased_ms=NOW_MS)
    after = changed(definition(), provisioned_throughput=units(9, 9))
    assert after == replaced(definition(), throughput=throughput)


# The mode that the table has may be said again.
def test_units_with_the_same_mode():
    request = {"provisioned_throughput": units(9, 9)}
    assert changed(definition(), billing_mode="PROVISIONED", **request) == changed(
        definition(), **request
    )


def test_to_on_demand():
    after = changed(definition(), billing_mode="PAY_PER_REQUEST")
    assert after == replaced(
        definition(),
        billing_mode="PAY_PER_REQUEST",
        billing_switched_ms=NOW_MS,
        throughput=Throughput(),
    )


# The date is that of the last switch to on demand, not of a request that changes nothing.
def test_on_demand_again():
    assert changed(on_demand(), billing_mode="PAY_PER_REQUEST") == replaced(on_demand())


def test_to_provisioned():
    after = changed(on_demand(), billing_mode="PROVISIONED", provisioned_throughput=units(3, 2))
    assert (after.billing_mode, after.billing_switched_ms) == ("PROVISIONED", NOON_MS)
    assert (after.throughput.read_units, after.throughput.write_units) == (3, 2)


# Units equal to those of the table are a change where the mode is one.
def test_to_provisioned_with_no_units_more():
    table = msgspec.structs.replace(on_demand(), throughput=Throughput(read_units=1, write_units=1))
    after = changed(table, billing_mode="PROVISIONED", provisioned_throughput=units(1, 1))
    assert after.billing_mode == "PROVISIONED"


@pytest.mark.parametrize("table_class", ["STANDARD", "STANDARD_INFREQUENT_ACCESS"])
def test_table_class(table_class):
    after = changed(definition(), table_class=table_class)
    assert after == replaced(definition(), table_class=table_class, class_changed_ms=NOW_MS)


@pytest.mark.parametrize("protected", [True, False])
def test_deletion_protection(protected):
    table = definition(deletion_protection=not protected, tags={"a": "b"})
    after = changed(table, deletion_protection_enabled=protected)
    assert after == replaced(table, deletion_protection=protected)


def test_several_at_once():
    after = changed(
        definition(),
        billing_mode="PAY_PER_REQUEST",
        table_class="STANDARD",
        deletion_protection_enabled=True,
    )
    assert after.billing_mode == "PAY_PER_REQUEST"
    assert after.table_class == "STANDARD"
    assert after.deletion_protection


def test_no_key_of_the_customer():
    off = SSESpecification(enabled=False)
    assert changed(definition(), sse_specification=off) == replaced(definition())


@pytest.mark.parametrize(
    ("table", "request_", "beginning"),
    [
        (
            definition(),
            {"provisioned_throughput": units(5, 5)},
            "The provisioned throughput for the table will not change.",
        ),
        (
            on_demand(),
            {"provisioned_throughput": units(5, 5)},
            "One or more parameter values were invalid: Neither ReadCapacityUnits nor",
        ),
        (
            definition(),
            {"stream_specification": StreamSpecification(stream_enabled=False)},
            "Table has no enabled stream to disable: a-table",
        ),
    ],
)
def test_refused(table, request_, beginning):
    with pytest.raises(DynamoError) as refused:
        changed(table, **request_)
    assert refused.value.fault is Fault.VALIDATION
    assert str(refused.value).startswith(beginning)
