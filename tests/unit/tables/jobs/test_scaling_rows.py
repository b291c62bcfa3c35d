"""Rows of scalable targets, as earlier versions have stored them."""

import msgspec

from hashrange.tables.jobs.scaling_rows import TABLE_WRITE, StoredTarget

TARGET = StoredTarget(
    scope="",
    resource="table/a",
    dimension=TABLE_WRITE,
    account="000000000000",
    region="us-east-1",
    id="1",
    created_ms=1,
    min_units=1,
    max_units=9,
    role="r",
    reported="ALREADY_AT_MAX",
)


def test_the_reported_reason_keeps_its_name():
    row = msgspec.json.encode(TARGET)
    assert msgspec.json.decode(row)["told"] == "ALREADY_AT_MAX"
    assert msgspec.json.decode(row, type=StoredTarget) == TARGET
