"""The rows of auto scaling on each engine: counters that many add to, and activities."""

import pytest

from hashrange.tables.jobs.scaling_rows import TABLE_WRITE, Activity, StoredTarget
from hashrange.tables.jobs.scaling_store import ScalingRows
from tests.engines.openers import NAMES, subject_of

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
)


# Counters are added to without being read, and removed by minute.
@pytest.mark.parametrize("name", NAMES)
def test_consumed_units_add_up_and_are_forgotten(name, tmp_path):
    with subject_of(name, tmp_path) as subject:
        rows = ScalingRows(subject.engine)
        for _ in range(3):
            subject.run(rows.consume(7, [("", ("a",), 0.5, 2.0), ("", ("b",), 1.0, 1.0)]))
        subject.run(rows.consume(8, [("", ("a",), 0.0, 1.5)]))
        assert subject.run(rows.consumed(TARGET, [6, 7, 8])) == [None, 6.0, 1.5]
        subject.run(rows.forget(8))
        assert subject.run(rows.consumed(TARGET, [6, 7, 8])) == [None, None, 1.5]


@pytest.mark.parametrize("name", NAMES)
def test_targets_and_activities(name, tmp_path):
    async def targets(rows, scope):
        return [target async for target in rows.targets(scope)]

    activity = Activity(
        id="1",
        resource="table/a",
        dimension=TABLE_WRITE,
        description="d",
        cause="c",
        start_ms=5,
        status="Successful",
    )
    with subject_of(name, tmp_path) as subject:
        rows = ScalingRows(subject.engine)
        assert subject.run(rows.change(TARGET.address, lambda _: TARGET)) == TARGET
        assert subject.run(targets(rows, "")) == [TARGET]
        assert subject.run(targets(rows, None)) == [TARGET]
        assert subject.run(targets(rows, "1:eu")) == []
        # Noted twice, as by a leader that was interrupted, it is one.
        for _ in range(2):
            subject.run(rows.note(TARGET.address, activity))
        assert subject.run(rows.activities("")) == [activity]
        assert subject.run(rows.change(TARGET.address, lambda _: None)) is None
        assert subject.run(rows.target(TARGET.address)) is None
        assert subject.run(rows.activities("")) == [activity]
