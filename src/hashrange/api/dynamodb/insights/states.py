"""The status and the rules of contributor insights. Pure.

Source: measurements of the service by users, October 2026; Developer Guide, "CloudWatch contributor
insights for DynamoDB: how it works".
"""

from typing import Final

from hashrange.capacity.contributors import Rule, rules_of
from hashrange.limits.tables import INSIGHT_RULE_CHARS_MAX
from hashrange.model.insights import InsightsSetting
from hashrange.model.table import Index, Table

DISABLED: Final = "DISABLED"
_PREFIX: Final = "DynamoDBContributorInsights"


def status_of(setting: InsightsSetting | None, now_ms: int, transient_ms: int) -> str:
    """The status; ENABLING and DISABLING are shown for `transient_ms`."""
    if setting is None:
        return DISABLED
    is_recent = setting.changed_ms <= now_ms < setting.changed_ms + transient_ms
    if setting.since_ms is None:
        return "DISABLING" if is_recent else DISABLED
    return "ENABLING" if is_recent else "ENABLED"


def setting_of(table: Table, index: Index | None) -> InsightsSetting | None:
    """The setting of a table, or of one of its indexes."""
    return table.insights if index is None else index.insights


def rule_names(table: Table, index: Index | None) -> list[str] | None:
    """The names of the rules; None while insights are disabled.

    A change of the mode keeps their time, which is that of the last enabling.
    """
    setting = setting_of(table, index)
    if setting is None or setting.since_ms is None:
        return None
    has_sort_key = table.sort is not None if index is None else bool(index.sort)
    resource = table.name if index is None else f"{table.name}-{index.name}"
    rules = rules_of(setting.mode, has_sort_key=has_sort_key)
    return [_rule_name(rule, resource, setting.since_ms) for rule in rules]


def _rule_name(rule: Rule, resource: str, since_ms: int) -> str:
    """A name of at most 128 characters; how the service cuts longer names is not published."""
    head, tail = f"{_PREFIX}-{rule}-", f"-{since_ms}"
    return head + resource[: INSIGHT_RULE_CHARS_MAX - len(head) - len(tail)] + tail
