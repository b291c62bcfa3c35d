"""The rules of contributor insights of tables: their list, and what changes rules.

A rule is there while the insights of its table or index are enabled: UpdateContributorInsights of
DynamoDB makes and removes it. There are no others, since there are no logs.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Final

import msgspec

from hashrange.api.aws_services.cloudwatch.requests import CloudWatchContext, check_text, offset_of
from hashrange.api.aws_services.cloudwatch.service import invalid_value
from hashrange.capacity.contributors import Rule, rules_by_name
from hashrange.limits.cloudwatch import DESCRIBED_RULES_MAX
from hashrange.messages import cloudwatch as messages
from hashrange.model.structures.cloudwatch import (
    DeleteInsightRules,
    DeleteInsightRulesAnswer,
    DescribeInsightRules,
    DescribeInsightRulesAnswer,
    DisableInsightRules,
    DisableInsightRulesAnswer,
    EnableInsightRules,
    EnableInsightRulesAnswer,
    InsightRule,
    PartialFailure,
    PutInsightRule,
)
from hashrange.model.table import Index, Table
from hashrange.wire.model_constraints import cloudwatch as constraints
from hashrange.wire.service import ServiceOperation, by_name

_PAGE: Final = 100
_ENABLED: Final = "ENABLED"
_SCHEMA: Final = '{"Name":"ServiceLogRule","Version":1}'
_ACCESSED: Final = frozenset(("PKC", "SKC"))
_WHOLE: Final = frozenset(("SKC", "SKT"))


class KeyRule(msgspec.Struct, frozen=True):
    """A rule of a table, or of one of its global indexes."""

    name: str
    rule: Rule
    table: Table
    index: Index | None

    @property
    def place(self) -> str:
        """The ARN of the table or index."""
        return self.table.arn if self.index is None else f"{self.table.arn}/index/{self.index.name}"

    @property
    def since_ms(self) -> int:
        """When it was made."""
        setting = self.table.insights if self.index is None else self.index.insights
        assert setting is not None, "it has rules"
        return setting.since_ms or 0

    @property
    def labels(self) -> list[str]:
        """The names of the attributes of its keys."""
        of = self.table if self.index is None else self.index
        partition = of.partition if isinstance(of.partition, tuple) else (of.partition,)
        sort = of.sort if isinstance(of.sort, tuple) else (of.sort,)
        keys = (*partition, *sort) if self.rule in _WHOLE else partition
        return [each.name for each in keys if each is not None]

    @property
    def is_of_units(self) -> bool:
        """Whether it sums units; others count requests."""
        return self.rule in _ACCESSED


async def rules_of(context: CloudWatchContext) -> AsyncIterator[KeyRule]:
    """The rules of a caller, in the order of their tables."""
    after, is_first = "", True
    while tables := await context.catalog.page(after, _PAGE, first=is_first):
        for table in tables:
            for index in (None, *table.indexes):
                for name, rule in rules_by_name(table, index).items():
                    yield KeyRule(name, rule, table, index)
        after, is_first = tables[-1].name, False


async def put(request: PutInsightRule, _context: CloudWatchContext) -> None:
    """Refuse a rule: it would be one of logs."""
    check_text("RuleName", str(request.rule_name))
    raise invalid_value(messages.no_logs())


async def describe(
    request: DescribeInsightRules, context: CloudWatchContext
) -> DescribeInsightRulesAnswer:
    """A page of the rules."""
    skipped = offset_of(request.next_token)
    end = skipped + (request.max_results or DESCRIBED_RULES_MAX)
    found: list[InsightRule] = []
    count = 0
    async for each in rules_of(context):
        if skipped <= count < end:
            found.append(
                InsightRule(each.name, _ENABLED, _SCHEMA, _definition(each), managed_rule=True)
            )
        count += 1
        if count > end:
            break
    return DescribeInsightRulesAnswer(
        insight_rules=found, next_token=str(end) if count > end else None
    )


def _definition(rule: KeyRule) -> str:
    """The definition of a rule."""
    contribution: dict[str, object] = {"Keys": rule.labels, "Filters": []}
    if rule.is_of_units:
        contribution["ValueOf"] = "ConsumedThroughputUnits"
    document = {
        "Schema": msgspec.Raw(_SCHEMA.encode()),
        "LogFormat": "JSON",
        "ResourceArn": rule.place,
        "Contribution": contribution,
        "AggregateOn": "Sum" if rule.is_of_units else "Count",
    }
    return msgspec.json.encode(document).decode()


async def enable(
    request: EnableInsightRules, context: CloudWatchContext
) -> EnableInsightRulesAnswer:
    """Enable rules, which all that are there are."""
    known = await _known(context, request.rule_names)
    return EnableInsightRulesAnswer(
        [_absent(name) for name, is_known in known.items() if not is_known]
    )


async def disable(
    request: DisableInsightRules, context: CloudWatchContext
) -> DisableInsightRulesAnswer:
    """Disable no rule: those of tables are changed with their tables."""
    return DisableInsightRulesAnswer(await _unchanged(context, request.rule_names))


async def delete(
    request: DeleteInsightRules, context: CloudWatchContext
) -> DeleteInsightRulesAnswer:
    """Delete no rule, as `disable`."""
    return DeleteInsightRulesAnswer(await _unchanged(context, request.rule_names))


async def _unchanged(
    context: CloudWatchContext, names: Sequence[str] | None
) -> list[PartialFailure]:
    known = await _known(context, names)
    return [_managed(name) if is_known else _absent(name) for name, is_known in known.items()]


async def _known(context: CloudWatchContext, names: Sequence[str] | None) -> dict[str, bool]:
    """Whether there is a rule of each of some names."""
    found = dict.fromkeys(names or (), False)
    async for each in rules_of(context):
        if each.name in found:
            found[each.name] = True
    return found


def _absent(name: str) -> PartialFailure:
    return PartialFailure(
        name, "ResourceNotFoundException", "ResourceNotFound", messages.no_rule(name=name)
    )


def _managed(name: str) -> PartialFailure:
    return PartialFailure(
        name, "InvalidParameterValueException", "InvalidParameterValue", messages.managed_rule()
    )


OPERATIONS: Final = by_name(
    ServiceOperation(
        request=PutInsightRule, run=put, constraints=constraints.PUT_INSIGHT_RULE_ROWS
    ),
    ServiceOperation(
        request=DescribeInsightRules,
        run=describe,
        constraints=constraints.DESCRIBE_INSIGHT_RULES_ROWS,
    ),
    ServiceOperation(
        request=EnableInsightRules, run=enable, constraints=constraints.ENABLE_INSIGHT_RULES_ROWS
    ),
    ServiceOperation(
        request=DisableInsightRules,
        run=disable,
        constraints=constraints.DISABLE_INSIGHT_RULES_ROWS,
    ),
    ServiceOperation(
        request=DeleteInsightRules, run=delete, constraints=constraints.DELETE_INSIGHT_RULES_ROWS
    ),
)
