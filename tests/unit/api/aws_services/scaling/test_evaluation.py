"""Auto scaling of a table, minute by minute on a clock that stands still."""

import asyncio

import msgspec
import pytest

from hashrange.api.admission.consumption import ConsumptionLog
from hashrange.api.aws_services.scaling import actions, activities, evaluation, policies, targets
from hashrange.api.aws_services.scaling.requests import ScalingContext
from hashrange.background.scaler import Scaler
from hashrange.tables.alarms.store import AlarmRows
from hashrange.tables.jobs.scaling_rows import INDEX_WRITE, TABLE_READ, TABLE_WRITE
from hashrange.tables.jobs.scaling_store import ScalingRows
from hashrange.tables.keys.scaling_keys import address_of
from hashrange.tables.verifying.verify import findings
from tests.api.indexes import attributes, index_of, units
from tests.unit.api.dynamodb.still_server import StillServer
from tests.unit.background.still_turns import unhurried

MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS


class ScaledServer(StillServer):
    """A table and an index of it, their auto scaling, and what they consume."""

    def __init__(self):
        super().__init__(transient_ms=0)
        self.create(
            AttributeDefinitions=attributes(pk="S", g="S"),
            GlobalSecondaryIndexes=[index_of("by_g", "g", **units(5, 5))],
            **units(5, 5),
        )
        self.totals = {}
        self.rows = ScalingRows(self.engine)
        self.log = ConsumptionLog(self.rows, lambda: self.totals, self.now_ms)
        self.scaler = Scaler(
            self.store, self.catalog, self.log, pacer=unhurried(), fences=dict, transient_ms=0
        )

    def context(self):
        return ScalingContext(
            rows=self.rows,
            alarms=AlarmRows(self.engine, self.random_bytes),
            catalog=self.catalog,
            scope="",
            account="000000000000",
            region="us-east-1",
            now_ms=self.now_ms(),
            new_id=self.new_uuid,
        )

    def do(self, run, request):
        return self.run(run(request, self.context()))

    def register(self, least, most, dimension=TABLE_WRITE, resource="table/a-table", **more):
        at = {"service_namespace": "dynamodb", "resource_id": resource}
        request = targets.RegisterScalableTarget(
            **at, scalable_dimension=dimension, min_capacity=least, max_capacity=most, **more
        )
        self.do(targets.register, request)
        return {**at, "scalable_dimension": dimension}

    def track(self, at, percent=50.0, **more):
        is_write = at["scalable_dimension"] in {TABLE_WRITE, INDEX_WRITE}
        metric = f"DynamoDB{'Write' if is_write else 'Read'}CapacityUtilization"
        configuration = policies.TargetTrackingScalingPolicyConfiguration(
            target_value=percent,
            predefined_metric_specification=policies.PredefinedMetricSpecification(
                predefined_metric_type=metric
            ),
            **more,
        )
        request = policies.PutScalingPolicy(
            **at,
            policy_name="p",
            policy_type="TargetTrackingScaling",
            target_tracking_scaling_policy_configuration=configuration,
        )
        self.do(policies.put, request)

    def minute(self, units_a_second=None, *, names=("a-table",), is_write=True):
        if units_a_second is not None:
            read, write = self.totals.get(("", names), (0.0, 0.0))
            grown = units_a_second * 60
            self.totals["", names] = (read, write + grown) if is_write else (read + grown, write)
        self.run(self.log.flush())
        self.later(MINUTE_MS)
        self.run(self.scaler.drain())

    def minutes(self, count, *args, **kwargs):
        for _ in range(count):
            self.minute(*args, **kwargs)

    def table_units(self):
        throughput = self.describe()["ProvisionedThroughput"]
        return throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]

    def index_units(self):
        (index,) = self.describe()["GlobalSecondaryIndexes"]
        return index["ProvisionedThroughput"]["WriteCapacityUnits"]

    def keep_action(self, **members):
        """Change the only action as it is stored."""
        address = address_of("", "table/a-table", TABLE_WRITE)

        def change(target):
            (action,) = target.actions
            return msgspec.structs.replace(
                target, actions=(msgspec.structs.replace(action, **members),)
            )

        self.run(self.rows.change(address, change))

    def activities(self, at, *, all_of_them=False):
        request = activities.DescribeScalingActivities(
            **at, include_not_scaled_activities=all_of_them
        )
        return self.do(activities.describe, request).scaling_activities


@pytest.fixture
def server():
    made = ScaledServer()
    yield made
    made.end()


def test_reads_writes_and_an_index_are_scaled_apart(server):
    server.track(server.register(1, 100, TABLE_READ))
    server.track(server.register(1, 100))
    index = server.register(1, 100, INDEX_WRITE, "table/a-table/index/by_g")
    server.track(index)
    server.minutes(2, 10, is_write=False)
    assert server.table_units() == (20, 5)
    server.minutes(2, 15)
    assert server.table_units() == (20, 30)
    server.minutes(2, 6, names=("a-table", "by_g"))
    assert server.index_units() == 12
    assert "write capacity units to 12" in server.activities(index)[0].description


def test_without_requests_nothing_is_decreased(server):
    server.track(server.register(1, 100))
    server.minutes(40)
    assert server.table_units() == (5, 5)
    server.minutes(15, 0.1)
    assert server.table_units() == (5, 1)


def test_cooldowns_and_disabled_decreases(server):
    at = server.register(1, 100)
    server.track(at, scale_out_cooldown=600, disable_scale_in=True)
    server.minutes(2, 10)
    assert server.table_units() == (5, 20)
    server.minutes(20, 0.1)
    assert server.table_units() == (5, 20)
    server.track(at, scale_in_cooldown=0)
    server.minutes(1, 0.1)
    assert server.table_units() == (5, 1)


# For as long as the clock was set back nothing would be scaled.
@pytest.mark.parametrize("by_ms", [5 * MINUTE_MS, 60 * MINUTE_MS])
def test_a_clock_that_was_set_back_does_not_stop_scaling(server, by_ms):
    at = server.register(1, 100)
    server.track(at, scale_out_cooldown=600)
    server.minutes(2, 10)
    assert server.table_units() == (5, 20)
    server.later(-by_ms)
    server.minutes(3, 20)
    assert server.table_units() == (5, 40)


@pytest.mark.parametrize(
    "switch", ["dynamic_scaling_in_suspended", "dynamic_scaling_out_suspended"]
)
def test_what_is_suspended_does_not_happen(server, switch):
    state = targets.SuspendedState(**{switch: True})
    server.track(server.register(1, 100, suspended_state=state))
    server.minutes(2, 10)
    grown = 5 if switch == "dynamic_scaling_out_suspended" else 20
    assert server.table_units() == (5, grown)
    server.minutes(15, 0.1)
    assert server.table_units() == (5, 1 if grown == 5 else 20)


# Five decreases in a row are more than the service allows within a day.
def test_a_refused_change_is_a_failed_activity_and_told_once(server):
    at = server.register(1, 40)
    for most in (35, 30, 25, 20, 15):
        server.register(40, 40)
        server.minute()
        server.register(1, most)
        server.minute()
    assert server.table_units() == (5, 40)
    server.minutes(3)
    failed, *others = server.activities(at)
    assert failed.status_code == "Failed"
    assert "LimitExceededException: Subscriber limit exceeded" in failed.status_message
    assert all(each.status_code == "Successful" for each in others)
    server.later(60 * MINUTE_MS)
    server.minute()
    assert server.table_units() == (5, 15)


def test_alarms_that_change_nothing_are_told_once(server):
    at = server.register(1, 5)
    server.track(at)
    server.minutes(5, 10)
    assert server.activities(at) == []
    (told,) = server.activities(at, all_of_them=True)
    (reason,) = told.not_scaled_reasons
    assert (reason.code, reason.max_capacity, reason.current_capacity) == (
        "AlreadyAtMaxCapacity",
        5,
        5,
    )


def test_scheduled_actions_run_once_and_again(server):
    at = server.register(1, 100)

    def schedule(name, text, **bounds):
        request = actions.PutScheduledAction(
            **at,
            scheduled_action_name=name,
            schedule=text,
            scalable_target_action=actions.ScalableTargetAction(**bounds),
        )
        server.do(actions.put, request)

    schedule("hourly", "rate(1 hour)", min_capacity=7)
    server.minutes(59)
    assert server.table_units() == (5, 5)
    server.minutes(2)
    assert server.table_units() == (5, 7)
    server.register(1, 100)
    server.update(**units(5, 3))
    server.minute()
    assert server.table_units() == (5, 3)
    server.minutes(60)
    assert server.table_units() == (5, 7)
    suspended = targets.SuspendedState(scheduled_scaling_suspended=True)
    server.register(1, 100, suspended_state=suspended)
    server.update(**units(5, 3))
    server.minutes(60)
    assert server.table_units() == (5, 3)


# Targets outlive tables; what is on demand, or gone, is left alone.
def test_tables_that_cannot_be_scaled(server):
    server.register(50, 100)
    server.update(BillingMode="PAY_PER_REQUEST")
    server.minutes(2)
    assert server.describe()["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    server.perform("DeleteTable")
    server.minutes(2)
    request = targets.DescribeScalableTargets(service_namespace="dynamodb")
    assert len(server.do(targets.describe, request).scalable_targets) == 1


# Only what is due is written; the counters of minutes that count no more are removed.
def test_rows_are_verified_and_counters_do_not_gather(server):
    server.track(server.register(1, 100))
    server.minutes(3, 10)
    assert asyncio.run(findings(server.engine)) == []
    server.later(DAY_MS)
    server.minute(1)
    minute = server.now_ms() // MINUTE_MS
    target = server.run(server.rows.target("\0table/a-table\0" + TABLE_WRITE))
    found = server.run(server.rows.consumed(target, range(minute - 2000, minute)))
    assert [units for units in found if units is not None] == [60.0]


def test_unscaled_tables_are_not_counted(server):
    server.minute(10)
    server.register(1, 100)
    server.minute()
    target = server.run(server.rows.target("\0table/a-table\0" + TABLE_WRITE))
    minute = server.now_ms() // MINUTE_MS
    assert server.run(server.rows.consumed(target, range(minute - 5, minute + 1))) == [None] * 6


# Numbers of JSON may be greater than each time; 1e400 is infinite. A round goes over all targets.
@pytest.mark.parametrize("seconds", [1e15, 1e308, float("inf"), float("-inf"), -1e308])
@pytest.mark.parametrize("member", ["start_time", "end_time"])
def test_times_beyond_all_years_stop_no_evaluation(server, member, seconds):
    at = server.register(1, 9)
    server.track(at)
    request = actions.PutScheduledAction(
        **at,
        scheduled_action_name="a",
        schedule="cron(0 12 * * ? *)",
        timezone="Pacific/Apia",
        scalable_target_action=actions.ScalableTargetAction(min_capacity=3),
        **{member: seconds},
    )
    server.do(actions.put, request)
    listed = actions.DescribeScheduledActions(service_namespace="dynamodb")
    (found,) = server.do(actions.describe, listed).scheduled_actions
    assert abs(getattr(found, member)) < 253_402_300_800
    server.minutes(3, 5)
    assert server.table_units()[1] > 5


# Earlier versions took more expressions, and time zones and packages may go.
@pytest.mark.parametrize("kept", [{"schedule": "at(tomorrow)"}, {"timezone": "Mars/Olympus"}])
def test_an_action_that_cannot_run_stops_no_evaluation(server, caplog, kept):
    at = server.register(1, 9)
    server.track(at)
    request = actions.PutScheduledAction(
        **at,
        scheduled_action_name="bad",
        schedule="cron(0 12 * * ? *)",
        scalable_target_action=actions.ScalableTargetAction(min_capacity=3),
    )
    server.do(actions.put, request)
    server.keep_action(**kept)
    server.minutes(3, 5)
    assert server.table_units()[1] > 5
    assert "the scheduled action bad of table/a-table cannot be run" in caplog.text


# The 31st of February is looked for until the last year.
def test_the_next_run_of_an_action_is_found_once(server):
    at = server.register(1, 9)
    request = actions.PutScheduledAction(
        **at,
        scheduled_action_name="never",
        schedule="cron(0 0 31 2 ? *)",
        scalable_target_action=actions.ScalableTargetAction(min_capacity=3),
    )
    server.do(actions.put, request)
    server.minute()
    misses = evaluation.found_run_ms.cache_info().misses
    server.minutes(3)
    assert evaluation.found_run_ms.cache_info().misses == misses
