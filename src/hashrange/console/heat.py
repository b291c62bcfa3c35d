"""The capacity of a table as it is used: partitions, and its hottest keys.

Keys are data: they are shown to those who may scan the table, if the server shows them at all.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from hashrange.api.dynamodb.items import scan
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import (
    AnyOperation,
    Caller,
    CallerContext,
    Outcome,
    never,
    no_charges,
)
from hashrange.errors import DynamoError, Fault
from hashrange.model.structures.dynamodb import Scan
from hashrange.observe.figures import name_and_labels
from hashrange.observe.report import Report
from hashrange.observe.snapshot import CapacityUse, Contributors, KeyCount

_SCAN: Final = "Scan"
_TRIGGERS: Final = {
    "trigger_records_total": "delivered",
    "trigger_failures_total": "failures",
    "trigger_records_given_up_total": "given_up",
    "trigger_lag_seconds": "lag_seconds",
}


class Heat(msgspec.Struct, frozen=True, kw_only=True):
    """The capacity of a table on a page.

    Attributes:
        at_ms: the server's time.
        throttles: the server limits requests, so there are partitions.
        places: the table and its global indexes; empty if the server does not throttle.
        keys: `shown`, `hidden` by the server, or `denied` by policies.
        samples: how many requests were sampled.
        hot_keys: of the table and its indexes, the most requested first.
        contributors: of contributor insights.
    """

    at_ms: int
    throttles: bool
    places: Sequence[CapacityUse]
    keys: str
    samples: int = 0
    hot_keys: Sequence[KeyCount] = ()
    contributors: Sequence[Contributors] = ()


class TriggerState(msgspec.Struct, frozen=True, kw_only=True):
    """A trigger of a table; counts are since the server started.

    Attributes:
        failures: calls that failed; their records are sent again, or given up.
        lag_seconds: the age of the oldest record that it is delivering; 0 if there is none.
    """

    name: str
    delivered: float = 0.0
    failures: float = 0.0
    given_up: float = 0.0
    lag_seconds: float = 0.0


async def _run(_plan: object, _context: CallerContext) -> Outcome:
    return Outcome(None)


_ROWS: Final[dict[str, AnyOperation]] = {
    _SCAN: msgspec.structs.replace(
        scan.OPERATION, charges=no_charges, spot=None, is_eventual=never, run=_run
    )
}


async def may_see_items(pipeline: Pipeline, caller: Caller, table: str) -> bool:
    """Whether the caller may scan a table. Raises DynamoError for other reasons."""
    try:
        await pipeline.performer(_SCAN, caller, _ROWS)(Scan(table_name=table))
    except DynamoError as error:
        if error.fault is Fault.ACCESS_DENIED:
            return False
        raise
    return True


def keys_of(report: Report, name: str) -> dict[str, Any]:
    """The hottest keys of a table, by stored name, as members of `Heat`."""
    if report.hot_keys is None:
        return {"keys": "hidden"}
    found = [each for each in report.hot_keys.keys if each.table.partition("/")[0] == name]
    return {
        "keys": "shown",
        "samples": report.hot_keys.total,
        "hot_keys": found,
        "contributors": [each for each in report.contributors if each.table == name],
    }


def triggers_of(report: Report, name: str) -> list[TriggerState]:
    """The triggers of a table, by stored name."""
    found = dict[str, dict[str, float]]()
    for key, value in report.numbers.items():
        figure, labels = name_and_labels(key)
        if figure in _TRIGGERS and labels[1] == name:
            found.setdefault(labels[0], {})[_TRIGGERS[figure]] = value
    return [TriggerState(name=trigger, **found[trigger]) for trigger in sorted(found)]
