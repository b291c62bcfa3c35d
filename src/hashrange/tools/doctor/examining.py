"""The diagnosis of a table: what an endpoint says of it, judged by the rules of tables."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, Final

import msgspec

from hashrange.capacity.costs.live_workload import counted_names
from hashrange.model.canonical import canonical_item
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tools.copying.place import Place, RefusedError, TableRef, ask
from hashrange.tools.copying.tables import describe_table
from hashrange.tools.definition import TableDefinition
from hashrange.tools.doctor.counters import Seen, figures, index_reads
from hashrange.tools.doctor.history import History
from hashrange.tools.facts import EXPIRED_SECONDS, Facts, LiveFigures
from hashrange.tools.rules import RULES, Finding, findings

_DAY_SECONDS: Final = 86_400
_DESCRIBED: Final = (
    *("TableName", "KeySchema", "AttributeDefinitions", "ProvisionedThroughput"),
    *("GlobalSecondaryIndexes", "LocalSecondaryIndexes", "StreamSpecification"),
)
"""Members of a description that CreateTable has too, and rules look at."""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """The findings in a table.

    Attributes:
        seconds: how long the figures were counted; None if since the server was started.
        not_known: what could not be judged, with the reason.
    """

    table: str
    seconds: float | None
    findings: list[Finding]
    not_known: list[str]


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """A table as operations of the API describe it.

    Attributes:
        shown: its description by DescribeTable.
        time_to_live: the attribute of the expiry; None if items do not expire.
        items: a sample of its items.
    """

    shown: Mapping[str, Any]
    time_to_live: str | None
    items: Sequence[Item]


async def described(place: Place, table: TableRef, *, sample: int) -> Described | None:
    """A table of an endpoint, with a sample of at most one page; None if there is no table."""
    shown = await describe_table(place, table)
    if shown is None:
        return None
    name = {"TableName": table.name}
    try:
        answer = await ask(place, table.caller, "DescribeTimeToLive", name)
        expiry = answer["TimeToLiveDescription"]
    except RefusedError:
        expiry = {}
    is_on = expiry.get("TimeToLiveStatus") == "ENABLED"
    items: Sequence[Item] = ()
    if sample:
        items = (await ask(place, table.caller, "Scan", {**name, "Limit": sample}))["Items"]
    return Described(
        shown=shown, time_to_live=expiry["AttributeName"] if is_on else None, items=items
    )


def diagnosis(
    table: Described,
    now_seconds: float,
    after: Seen | None,
    before: Seen | None = None,
    *,
    history: History | None = None,
) -> Diagnosis:
    """The diagnosis of a table.

    Args:
        table: what operations say of it.
        now_seconds: the time, in seconds since 1970.
        after: the pages of the server; None if it has none.
        before: the pages of an earlier time; None to count from the start of the server.
        history: of days; throttles are those of it. None if it is not wanted, or not known.
    """
    name = table.shown["TableName"]
    live = LiveFigures() if after is None else figures(counted_names(table.shown), after, before)
    if history is not None:
        live = _with_history(table.shown, live, history, now_seconds)
    facts = _facts(table, _with_sample(table, live, now_seconds), after)
    rules = {rule.id for rule in RULES if rule.is_live}
    seconds = None
    if after is not None and before is not None:
        seconds = (after.snapshot.at_ns - before.snapshot.at_ns) / 1e9
    return Diagnosis(
        table=name,
        seconds=seconds,
        findings=[each for each in findings(facts) if each.rule in rules],
        not_known=_not_known(table, facts, after),
    )


def _with_history(
    shown: Mapping[str, Any], live: LiveFigures, history: History, now_seconds: float
) -> LiveFigures:
    """Figures of days; of a table that is younger than a day no units are idle."""
    units: dict[str, Mapping[str, Any]] = {"": shown.get("ProvisionedThroughput") or {}}
    for each in shown.get("GlobalSecondaryIndexes") or ():
        units[each["IndexName"]] = each.get("ProvisionedThroughput") or {}
    idle = {}
    if now_seconds - shown["CreationDateTime"] >= _DAY_SECONDS:
        idle = {
            (index, kind): (float(units[index].get(f"{kind}CapacityUnits", 0)), busiest)
            for (index, kind), busiest in history.busiest.items()
        }
    return msgspec.structs.replace(
        live,
        throttles=history.throttles,
        idle=idle,
        history=f"{history.period // 60} minutes of {history.days} days",
    )


def _facts(table: Described, live: LiveFigures, after: Seen | None) -> Facts:
    shown = table.shown
    count = shown["ItemCount"]
    reads = None if after is None else index_reads(counted_names(shown), after.snapshot)
    if reads is not None:
        # Reads of local indexes are counted for the table.
        local = {index["IndexName"]: inf for index in shown.get("LocalSecondaryIndexes") or ()}
        reads = {**reads, **local}
    return Facts(
        definition=TableDefinition(
            request={name: shown[name] for name in _DESCRIBED if shown.get(name)},
            time_to_live=table.time_to_live,
        ),
        item_bytes=shown["TableSizeBytes"] / count if count else None,
        reads_per_second=reads,
        live=live,
    )


def _with_sample(table: Described, live: LiveFigures, now_seconds: float) -> LiveFigures:
    sizes = [canonical_item(each, Wording.CURRENT).bytes for each in table.items]
    ages = []
    if table.time_to_live is not None:
        expiries = [each.get(table.time_to_live, {}).get("N") for each in table.items]
        ages = [now_seconds - float(each) for each in expiries if each is not None]
    late = [age for age in ages if age > EXPIRED_SECONDS]
    return msgspec.structs.replace(
        live,
        sampled=len(table.items),
        largest_bytes=max(sizes, default=0),
        expired=len(late),
        oldest_expired_seconds=max(late, default=0.0),
    )


def _not_known(table: Described, facts: Facts, after: Seen | None) -> list[str]:
    notes = []
    live = facts.live
    assert live is not None, "see _facts"
    if after is None:
        notes.append("throttles, scans, conflicts, streams: the endpoint has no figures")
    elif live.partitions is None:
        notes.append(
            "throttles, partitions, unread indexes: the table was not used on a server with "
            "--throttle on"
        )
    elif live.throttles and not live.throttled_keys:
        notes.append("keys that were throttled: contributor insights are off, or no key is shown")
    if not table.items:
        notes.append("large and expired items: there is no sample")
    return notes
