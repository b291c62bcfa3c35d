"""Auto scaling: decisions on provisioned throughput from the consumption of the last minutes.

Target tracking as in Application Auto Scaling, with alarms on sums of one minute. The high alarm
needs two minutes above the target, the low alarm fifteen minutes below a limit that is 20
percentage points lower. Minutes without requests are missing data, which keep the low alarm off.
Source: Developer Guide, "Managing throughput capacity with auto scaling"; Application Auto Scaling
User Guide, "Target tracking". AWS does not document from which minute the new capacity is computed;
here it is the busiest minute of the alarm's window.
"""

from collections.abc import Sequence
from math import ceil
from typing import Final, Literal, TypeAlias

import msgspec

HIGH_MINUTES: Final = 2
LOW_MINUTES: Final = 15
LOW_POINTS: Final = 20
"""Percentage points between the target and the low alarm."""

Cause: TypeAlias = Literal["HIGH", "LOW", "BOUNDS"]
NotScaled: TypeAlias = Literal[
    "AlreadyAtMaxCapacity", "AlreadyAtMinCapacity", "AlreadyAtDesiredCapacity"
]


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of the read or write units of a table or index.

    Attributes:
        in_suspended: dynamic scaling does not decrease the units.
        out_suspended: dynamic scaling does not increase the units.
    """

    min_units: int
    max_units: int
    in_suspended: bool = False
    out_suspended: bool = False


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """A target tracking policy; `percent` is the target utilization."""

    percent: float
    out_cooldown_seconds: int = 0
    in_cooldown_seconds: int = 0
    in_disabled: bool = False


class Sample(msgspec.Struct, frozen=True):
    """A minute: consumed units, None if there were no requests, and provisioned units a second."""

    consumed: float | None
    provisioned: float


class History(msgspec.Struct, frozen=True):
    """The last increase and the last decrease by dynamic scaling."""

    out_ms: int | None = None
    out_units: int = 0
    in_ms: int | None = None


class Decision(msgspec.Struct, frozen=True):
    """The result of an evaluation.

    Attributes:
        units: the new capacity; None for no change.
        not_scaled: the reason for no change although an alarm is on.
    """

    cause: Cause
    units: int | None = None
    not_scaled: NotScaled | None = None


def decide(
    current: int,
    samples: Sequence[Sample],
    target: Target,
    policies: Sequence[Policy],
    *,
    history: History,
    now_ms: int,
) -> Decision | None:
    """The decision after a minute; None if no alarm is on.

    If several policies increase the capacity, the highest result applies. A decrease needs the low
    alarm of every policy that can decrease it.

    Args:
        current: provisioned units.
        samples: finished minutes, oldest first; at least fifteen if there are so many.
        target: the bounds.
        policies: the policies of the target.
        history: earlier changes of the target.
        now_ms: the time.
    """
    if not target.min_units <= current <= target.max_units:
        return Decision("BOUNDS", min(max(current, target.min_units), target.max_units))
    wanted = [
        units
        for policy in policies
        if is_high(samples, policy) and not target.out_suspended
        for units in [_units(samples[-HIGH_MINUTES:], policy)]
    ]
    if wanted:
        return _scaled_out(current, max(wanted), target, policies, history=history, now_ms=now_ms)
    lowering = [policy for policy in policies if not policy.in_disabled]
    if target.in_suspended or not lowering:
        return None
    if all(is_low(samples, policy) for policy in lowering):
        units = max(_units(samples[-LOW_MINUTES:], policy) for policy in lowering)
        return _scaled_in(current, units, target, lowering, history=history, now_ms=now_ms)
    return None


def is_high(samples: Sequence[Sample], policy: Policy) -> bool:
    """Whether the high alarm of a policy is on."""
    latest = samples[-HIGH_MINUTES:]
    return len(latest) == HIGH_MINUTES and all(
        sample.consumed is not None
        and sample.consumed > policy.percent / 100 * sample.provisioned * 60
        for sample in latest
    )


def is_low(samples: Sequence[Sample], policy: Policy) -> bool:
    """Whether the low alarm of a policy is on."""
    latest = samples[-LOW_MINUTES:]
    share = (policy.percent - LOW_POINTS) / 100
    return len(latest) == LOW_MINUTES and all(
        sample.consumed is not None and sample.consumed < share * sample.provisioned * 60
        for sample in latest
    )


def noted(history: History, decision: Decision, current: int, now_ms: int) -> History:
    """The history after a decision was applied."""
    if decision.units is None or decision.cause == "BOUNDS":
        return history
    if decision.units > current:
        return History(out_ms=now_ms, out_units=decision.units, in_ms=history.in_ms)
    return msgspec.structs.replace(history, in_ms=now_ms)


def _units(samples: Sequence[Sample], policy: Policy) -> int:
    """The capacity at which the busiest minute would have met the target utilization."""
    busiest = max(sample.consumed or 0.0 for sample in samples) / 60
    # A quotient such as 70 / 0.7 is a whole number, which floats miss by a small error.
    return ceil(round(busiest * 100 / policy.percent, 6))


def _scaled_out(
    current: int,
    units: int,
    target: Target,
    policies: Sequence[Policy],
    *,
    history: History,
    now_ms: int,
) -> Decision | None:
    if current >= target.max_units:
        return Decision("HIGH", not_scaled="AlreadyAtMaxCapacity")
    units = min(units, target.max_units)
    if units <= current:
        return Decision("HIGH", not_scaled="AlreadyAtDesiredCapacity")
    cooldown = max(policy.out_cooldown_seconds for policy in policies)
    is_cooling = history.out_ms is not None and 0 <= now_ms - history.out_ms < cooldown * 1000
    if is_cooling and units <= history.out_units:
        return None
    return Decision("HIGH", units)


def _scaled_in(
    current: int,
    units: int,
    target: Target,
    policies: Sequence[Policy],
    *,
    history: History,
    now_ms: int,
) -> Decision | None:
    if current <= target.min_units:
        return Decision("LOW", not_scaled="AlreadyAtMinCapacity")
    units = max(units, target.min_units)
    if units >= current:
        return Decision("LOW", not_scaled="AlreadyAtDesiredCapacity")
    cooldown_ms = 1000 * max(policy.in_cooldown_seconds for policy in policies)
    scaled = [at_ms for at_ms in (history.out_ms, history.in_ms) if at_ms is not None]
    if any(0 <= now_ms - at_ms < cooldown_ms for at_ms in scaled):
        return None
    return Decision("LOW", units)
