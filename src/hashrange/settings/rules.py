"""Rules in settings: which requests fail, and how long answers take; durations.

The texts of several rules are separated by semicolons. Whether an operation exists, and whether it
has an error, is checked where the rules are applied: `api.requests.faults`.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

import msgspec

from hashrange.limits.server import LATENCY_MS_MAX, REALISM_RULES_MAX

ALL: Final = "*"
"""In a rule: every operation, or every table."""
SEPARATOR: Final = ";"
FAULT_FORM: Final = "OPERATION:TABLE:PROBABILITY:ERROR"
CUT_FORM: Final = "REGION:REGION:BEGIN-END"
LATENCY_FORM: Final = "OPERATION:p50=TIME,p99=TIME"

is_table: Final = partial(re.fullmatch, r"[A-Za-z0-9_.-]{3,255}")
is_region: Final = partial(re.fullmatch, "[a-z]{2}(-[a-z]+)+-[0-9]{1,2}")
_OPERATION: Final = r"(\*|[A-Za-z]{1,64})"
_is_fault: Final = partial(
    re.fullmatch,
    rf"{_OPERATION}:(\*|[a-zA-Z0-9_.-]{{3,255}}):([01]|[01]?\.[0-9]{{1,9}}|1\.0+):([A-Za-z]{{1,64}})",
)
_is_latency: Final = partial(re.fullmatch, rf"{_OPERATION}:([a-z0-9=.,]{{1,100}})")
_REGION: Final = r"(\*|[a-z0-9-]{1,32})"
_is_cut: Final = partial(
    re.fullmatch, rf"{_REGION}:{_REGION}:([a-z0-9.]{{1,20}})-([a-z0-9.]{{0,20}})"
)
_is_duration: Final = partial(re.fullmatch, r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(ms|s)?")
_is_interval: Final = partial(re.fullmatch, r"([0-9]{1,6})(s|m|h|d)")
_INTERVAL_MS: Final = {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
ALL_BACKUPS: Final = "all"
LAST_BACKUPS: Final = "last"
_KEPT: Final = (LAST_BACKUPS, "daily", "weekly", "monthly")
_is_kept: Final = partial(re.fullmatch, rf"({'|'.join(_KEPT)})=([1-9][0-9]{{0,3}})")
_MS: Final = {"ms": 1.0, "s": 1000.0, None: 1.0}

R = TypeVar("R")


class FaultRule(msgspec.Struct, frozen=True, kw_only=True):
    """Requests that fail.

    Attributes:
        operation: its name, or `*`.
        table: its name, or `*`.
        probability: the share of the requests that fail, from 0 to 1.
        error: the name of the error, such as `ThrottlingException`.
    """

    operation: str
    table: str
    probability: float
    error: str


class LatencyRule(msgspec.Struct, frozen=True, kw_only=True):
    """How long answers to an operation, or to `*`, take: half of them `p50_ms`, 99 % `p99_ms`."""

    operation: str
    p50_ms: float
    p99_ms: float


class CutRule(msgspec.Struct, frozen=True, kw_only=True):
    """Replication that stands still for a while.

    Attributes:
        source: the region whose changes wait, or `*`.
        target: the region that does not get them, or `*`.
        begin_ms: since the start of the server.
        end_ms: the same; None for good.
    """

    source: str
    target: str
    begin_ms: float
    end_ms: float | None


def fault_rules(text: str) -> tuple[FaultRule, ...]:
    """The rules of faults in a text. Raises ValueError, whose text says what is expected."""
    return _rules(text, _fault)


def latency_rules(text: str) -> tuple[LatencyRule, ...]:
    """The rules of latencies in a text. Raises ValueError, whose text says what is expected."""
    return _rules(text, _latency)


def cut_rules(text: str) -> tuple[CutRule, ...]:
    """The rules of cuts in a text. Raises ValueError, whose text says what is expected."""
    return _rules(text, _cut)


def duration_ms(text: str) -> float:
    """Milliseconds of a duration such as `40ms`, `1.5s` or `40`. Raises ValueError."""
    found = _is_duration(text)
    if found is None:
        raise ValueError("a duration such as 40ms or 1.5s")
    return float(found[1]) * _MS[found[2]]


def interval_ms(text: str) -> int:
    """Milliseconds of an interval such as `30m`, `6h` or `1d`. Raises ValueError."""
    found = _is_interval(text)
    if found is None or not int(found[1]):
        raise ValueError("an interval such as 30m, 6h or 1d")
    return int(found[1]) * _INTERVAL_MS[found[2]]


def kept_backups(text: str) -> dict[str, int]:
    """How many backups of each kind a rule keeps; none for all. Raises ValueError."""
    if text == ALL_BACKUPS:
        return {}
    found = [_is_kept(part) for part in text.split(",")]
    counts = {each[1]: int(each[2]) for each in found if each is not None}
    if len(counts) < len(found):
        raise ValueError(f"{ALL_BACKUPS}, or numbers such as last=7,daily=14,weekly=8,monthly=12")
    return counts


def _rules(text: str, parse: Callable[[str], R]) -> tuple[R, ...]:
    texts = [each.strip() for each in text.split(SEPARATOR) if each.strip()]
    if not 0 < len(texts) <= REALISM_RULES_MAX:
        raise ValueError(f"one to {REALISM_RULES_MAX} rules")
    return tuple(map(parse, texts))


def _fault(text: str) -> FaultRule:
    found = _is_fault(text)
    if found is None or not float(found[3]) <= 1:
        raise ValueError(f"{FAULT_FORM}, with a probability from 0 to 1")
    return FaultRule(
        operation=found[1], table=found[2], probability=float(found[3]), error=found[4]
    )


def _cut(text: str) -> CutRule:
    found = _is_cut(text)
    if found is None:
        raise ValueError(f"{CUT_FORM}, such as us-east-1:*:10s-60s")
    begin_ms = duration_ms(found[3])
    end_ms = duration_ms(found[4]) if found[4] else None
    if end_ms is not None and end_ms <= begin_ms:
        raise ValueError(f"{CUT_FORM}, where the end is after the beginning")
    return CutRule(source=found[1], target=found[2], begin_ms=begin_ms, end_ms=end_ms)


def _latency(text: str) -> LatencyRule:
    found = _is_latency(text)
    expected = f"{LATENCY_FORM}, where p50 is not more than p99, and p99 may be left out"
    if found is None:
        raise ValueError(expected)
    values = [each.partition("=") for each in found[2].split(",")]
    times = {name: value for name, _, value in values}
    if len(times) < len(values) or not {"p50"} <= set(times) <= {"p50", "p99"}:
        raise ValueError(expected)
    p50_ms = duration_ms(times["p50"])
    p99_ms = duration_ms(times["p99"]) if "p99" in times else p50_ms
    if not p50_ms <= p99_ms <= LATENCY_MS_MAX or p50_ms == 0 < p99_ms:
        raise ValueError(f"{expected}; times of at most {LATENCY_MS_MAX} ms, and p50 above 0")
    return LatencyRule(operation=found[1], p50_ms=p50_ms, p99_ms=p99_ms)
