"""Target tracking: when the alarms are on, and what follows."""

import pytest

from hashrange.capacity.auto_scaling import (
    Decision,
    History,
    Policy,
    Sample,
    Target,
    decide,
    is_high,
    is_low,
    noted,
)

HOUR_MS = 3_600_000
BOUNDS = Target(min_units=5, max_units=100)
POLICY = Policy(percent=70.0)


def minutes(count, a_second, provisioned):
    consumed = None if a_second is None else a_second * 60.0
    return [Sample(consumed, provisioned)] * count


def decided(current, samples, **changes):
    given = {"target": BOUNDS, "policies": [POLICY], "history": History(), "now_ms": HOUR_MS}
    given.update(changes)
    return decide(
        current,
        samples,
        given["target"],
        given["policies"],
        history=given["history"],
        now_ms=given["now_ms"],
    )


# The example of the guide: at 70 percent and one unit the alarms are at 42 and 30 units a minute.
@pytest.mark.parametrize(
    ("units", "high", "low"),
    [(43, True, False), (42, False, False), (30, False, False), (29, False, True)],
)
def test_alarms_are_where_the_guide_has_them(units, high, low):
    assert is_high([Sample(float(units), 1.0)] * 2, POLICY) is high
    assert is_low([Sample(float(units), 1.0)] * 15, POLICY) is low


def test_two_minutes_above_scale_out():
    assert decided(10, [*minutes(5, 5, 10), *minutes(1, 14, 10)]) is None
    assert decided(10, minutes(2, 14, 10)) == Decision("HIGH", 20)


def test_fifteen_minutes_below_scale_in():
    assert decided(40, minutes(14, 7, 40)) is None
    assert decided(40, minutes(15, 7, 40)) == Decision("LOW", 10)
    assert decided(40, [*minutes(1, 21, 40), *minutes(14, 7, 40)]) is None


# A table without any request keeps its capacity.
def test_no_data_scales_nothing_in():
    assert decided(40, minutes(15, None, 40)) is None
    assert decided(40, [*minutes(14, 7, 40), *minutes(1, None, 40)]) is None


def test_bounds_hold_at_once():
    assert decided(3, []) == Decision("BOUNDS", 5)
    assert decided(300, minutes(2, 300, 300)) == Decision("BOUNDS", 100)


def test_capacity_stays_within_the_bounds():
    assert decided(50, minutes(2, 500, 50)) == Decision("HIGH", 100)
    assert decided(100, minutes(2, 500, 100)) == Decision("HIGH", None, "AlreadyAtMaxCapacity")
    assert decided(20, minutes(15, 1, 20)) == Decision("LOW", 5)
    assert decided(5, minutes(15, 1, 5)) == Decision("LOW", None, "AlreadyAtMinCapacity")


def test_what_is_computed_may_be_there_already():
    # The alarms look at older minutes, in which less was provisioned.
    assert decided(20, minutes(2, 14, 10)) == Decision("HIGH", None, "AlreadyAtDesiredCapacity")


def test_cooldown_after_scaling_out_lets_more_through():
    policies = [Policy(percent=70.0, out_cooldown_seconds=300)]
    history = History(out_ms=HOUR_MS - 60_000, out_units=20)
    assert decided(10, minutes(2, 14, 10), policies=policies, history=history) is None
    assert decided(10, minutes(2, 21, 10), policies=policies, history=history) == Decision(
        "HIGH", 30
    )
    late = History(out_ms=HOUR_MS - 300_000, out_units=20)
    assert decided(10, minutes(2, 14, 10), policies=policies, history=late) == Decision("HIGH", 20)


@pytest.mark.parametrize("scaled", [{"out_ms": HOUR_MS - 60_000}, {"in_ms": HOUR_MS - 60_000}])
def test_cooldown_before_scaling_in(scaled):
    policies = [Policy(percent=70.0, in_cooldown_seconds=300)]
    history = History(**scaled)
    assert decided(40, minutes(15, 7, 40), policies=policies, history=history) is None
    assert decided(40, minutes(15, 7, 40), policies=policies) == Decision("LOW", 10)


# A time that is later than now is one from before the clock was set back.
@pytest.mark.parametrize("scaled", [{"out_ms": 2 * HOUR_MS}, {"in_ms": 2 * HOUR_MS}])
def test_no_cooldown_after_the_clock_was_set_back(scaled):
    policies = [Policy(percent=70.0, in_cooldown_seconds=300)]
    history = History(**scaled)
    assert decided(40, minutes(15, 7, 40), policies=policies, history=history) == Decision(
        "LOW", 10
    )


def test_of_several_policies_the_highest_capacity_wins():
    policies = [Policy(percent=70.0), Policy(percent=35.0)]
    assert decided(10, minutes(2, 14, 10), policies=policies) == Decision("HIGH", 40)
    # Of 40 units 10 are 25 percent: below the low alarm of the one, not of the other.
    assert decided(40, minutes(15, 10, 40), policies=policies) is None
    assert decided(40, minutes(15, 3.5, 40), policies=policies) == Decision("LOW", 10)


def test_scaling_in_can_be_disabled():
    policies = [Policy(percent=70.0, in_disabled=True)]
    assert decided(40, minutes(15, 7, 40), policies=policies) is None


def test_scaling_can_be_suspended():
    suspended = Target(min_units=5, max_units=100, in_suspended=True, out_suspended=True)
    assert decided(40, minutes(15, 7, 40), target=suspended) is None
    assert decided(10, minutes(2, 14, 10), target=suspended) is None


def test_history_notes_what_was_scaled():
    assert noted(History(), Decision("HIGH", 20), 10, 5) == History(out_ms=5, out_units=20)
    assert noted(History(), Decision("LOW", 5), 10, 7) == History(in_ms=7)
    assert noted(History(), Decision("BOUNDS", 5), 1, 7) == History()
    assert noted(History(), Decision("HIGH", None, "AlreadyAtMaxCapacity"), 1, 7) == History()
