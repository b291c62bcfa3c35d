"""The rules of tables: one table of what is accepted by DynamoDB and hurts later. Pure.

`design` and `check` warn by them before there is a table, `doctor` with the figures of a live one.
A rule says nothing about facts that it does not have.
"""

from collections.abc import Callable, Iterator
from typing import Final, Literal, TypeAlias

import msgspec

from hashrange.tools import design_checks, live_checks
from hashrange.tools.facts import TABLE, Facts, Found

__all__ = ["RULES", "TABLE", "Facts", "Finding", "Rule", "Severity", "findings"]

Severity: TypeAlias = Literal["error", "warning"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that a table breaks.

    Attributes:
        rule: the id of the rule.
        severity: an error is refused or lost sooner or later; a warning costs money or speed.
        subject: the table or the index.
        text: what was found, a sentence without its full stop.
        remedy: what to do, likewise.
        page: the page of the documentation, with its section.
    """

    rule: str
    severity: Severity
    subject: str
    text: str
    remedy: str
    page: str

    @property
    def line(self) -> str:
        """The finding in one line."""
        return f"{self.severity}: {self.text}. {self.remedy}. [{self.rule}, docs/{self.page}]"


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the table; `check` finds where the rule is broken.

    `is_live`: it judges the figures of a live table, and is of use for `doctor`.
    """

    id: str
    severity: Severity
    remedy: str
    page: str
    check: Callable[[Facts], Iterator[Found]]
    is_live: bool = False


def findings(facts: Facts) -> list[Finding]:
    """All findings of all rules, errors first, in the order of the rules."""
    found = [
        Finding(
            rule=rule.id,
            severity=rule.severity,
            subject=subject,
            text=text,
            remedy=rule.remedy,
            page=rule.page,
        )
        for rule in RULES
        for subject, text in rule.check(facts)
    ]
    return sorted(found, key=lambda each: each.severity)


def _throttling(name: str, cause: str, remedy: str, page: str) -> Rule:
    """The row of a limit that throttles requests."""
    return Rule(
        id=f"throttled-by-{name}",
        severity="warning",
        remedy=remedy,
        page=page,
        check=live_checks.throttled_by(cause),
        is_live=True,
    )


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="item-too-large",
        severity="error",
        remedy="Keep large values in S3 and their address in the item, or split the item",
        page="design.md#rules",
        check=design_checks.too_large_items,
    ),
    Rule(
        id="collection-full",
        severity="error",
        remedy="Make the index a global one, or add a bucket to the partition key",
        page="patterns.md#time-series-in-buckets",
        check=design_checks.full_collections,
    ),
    Rule(
        id="low-cardinality-key",
        severity="warning",
        remedy="Use a key with many values, or add a shard number to it",
        page="patterns.md#write-sharding",
        check=design_checks.low_cardinality,
    ),
    Rule(
        id="rising-key",
        severity="warning",
        remedy="Put an identifier before the time, or add a shard number to it",
        page="patterns.md#write-sharding",
        check=design_checks.rising_partition_keys,
    ),
    Rule(
        id="unbounded-collection",
        severity="warning",
        remedy="Add a period to the partition key (DEVICE#7#2026-11), or let items expire (--ttl)",
        page="patterns.md#time-series-in-buckets",
        check=design_checks.unbounded_collections,
    ),
    Rule(
        id="local-index",
        severity="warning",
        remedy="Prefer a global index, unless its reads must be strongly consistent",
        page="design.md#rules",
        check=design_checks.local_indexes,
    ),
    Rule(
        id="redundant-index",
        severity="warning",
        remedy="Remove the index",
        page="design.md#rules",
        check=design_checks.unneeded_indexes,
    ),
    Rule(
        id="unread-index",
        severity="warning",
        remedy="Remove the index, or name the access pattern that reads it",
        page="design.md#rules",
        check=design_checks.unread_indexes,
        is_live=True,
    ),
    Rule(
        id="large-item",
        severity="warning",
        remedy="Split the item by what is read together, or keep large values in S3",
        page="design.md#rules",
        check=design_checks.large_items,
        is_live=True,
    ),
    Rule(
        id="wide-projection",
        severity="warning",
        remedy="Project what the queries read: INCLUDE with its attributes, or KEYS_ONLY",
        page="design.md#rules",
        check=design_checks.wide_projections,
    ),
    Rule(
        id="slower-index",
        severity="warning",
        remedy="Give the index as many write units as the table",
        page="capacity.md#what-a-client-sees",
        check=design_checks.slower_indexes,
        is_live=True,
    ),
    Rule(
        id="idle-units",
        severity="warning",
        remedy="Provision fewer units, add auto scaling, or choose on-demand capacity",
        page="auto-scaling.md#what-happens",
        check=live_checks.idle_units,
        is_live=True,
    ),
    _throttling(
        "partition",
        "KeyRangeThroughput",
        "Spread the requests over more partition keys, as with a shard number",
        "patterns.md#write-sharding",
    ),
    _throttling(
        "units",
        "ProvisionedThroughput",
        "Provision more units, add auto scaling, or choose on-demand capacity",
        "auto-scaling.md#what-happens",
    ),
    _throttling(
        "maximum",
        "MaxOnDemandThroughput",
        "Raise the maximum in OnDemandThroughput, or remove it",
        "capacity.md#what-a-client-sees",
    ),
    _throttling(
        "account",
        "AccountLimit",
        "Ask for a higher quota of the table (--table-units here)",
        "capacity.md#what-a-client-sees",
    ),
    Rule(
        id="index-back-pressure",
        severity="warning",
        remedy="Give the index as many write units as the table, or a key with more values",
        page="doctor.md#index-back-pressure",
        check=live_checks.index_back_pressure,
        is_live=True,
    ),
    Rule(
        id="hot-partition",
        severity="warning",
        remedy="Spread the load over more partition keys, or cache what is read most (DAX)",
        page="patterns.md#write-sharding",
        check=live_checks.hot_partitions,
        is_live=True,
    ),
    Rule(
        id="scans",
        severity="warning",
        remedy="Query the table or an index instead, or export the table to read all of it",
        page="doctor.md#scans",
        check=live_checks.scans,
        is_live=True,
    ),
    Rule(
        id="large-sample",
        severity="warning",
        remedy="Split the item by what is read together, or keep large values in S3",
        page="doctor.md#large-sample",
        check=live_checks.large_samples,
        is_live=True,
    ),
    Rule(
        id="ttl-lag",
        severity="warning",
        remedy="Filter expired items in reads; items that expired over five years ago stay",
        page="doctor.md#ttl-lag",
        check=live_checks.expired_items,
        is_live=True,
    ),
    Rule(
        id="stream-lag",
        severity="warning",
        remedy="Make the function faster, or its batches larger; look at its errors in the log",
        page="triggers.md#failures",
        check=live_checks.stream_lag,
        is_live=True,
    ),
    Rule(
        id="conflicts",
        severity="warning",
        remedy="Keep transactions short and apart, spread counters, or retry with a delay",
        page="doctor.md#conflicts",
        check=live_checks.conflicts,
        is_live=True,
    ),
)
"""The table of rules; `findings` asks all of them."""
