"""PutCompositeAlarm."""

from typing import Final

from hashrange.api.aws_services.cloudwatch.alarm_checks import check_named
from hashrange.api.aws_services.cloudwatch.alarm_rules import RuleError, name_in, rule_of
from hashrange.api.aws_services.cloudwatch.alarms import keep
from hashrange.api.aws_services.cloudwatch.requests import CloudWatchContext
from hashrange.api.aws_services.cloudwatch.service import contradictory, invalid
from hashrange.limits.cloudwatch import SUPPRESSION_SECONDS_MAX
from hashrange.messages import cloudwatch as messages
from hashrange.model.structures.cloudwatch import PutCompositeAlarm
from hashrange.wire.model_constraints.cloudwatch import PUT_COMPOSITE_ALARM_ROWS
from hashrange.wire.service import ServiceOperation, by_name


async def put(request: PutCompositeAlarm, context: CloudWatchContext) -> None:
    """Make an alarm of the states of others, or configure one anew."""
    check_named(request)
    if request.action_configuration is not None:
        raise invalid(messages.unsupported(name="ActionConfiguration"))
    try:
        children = [*rule_of(str(request.alarm_rule)).children]
    except RuleError as error:
        raise invalid(messages.rule(reason=str(error))) from None
    suppressor = request.actions_suppressor
    periods = (
        request.actions_suppressor_wait_period,
        request.actions_suppressor_extension_period,
    )
    given = {each is not None for each in (suppressor, *periods)}
    if len(given) > 1 or not all(0 <= (each or 0) <= SUPPRESSION_SECONDS_MAX for each in periods):
        raise contradictory(messages.suppressor(most=SUPPRESSION_SECONDS_MAX))
    if suppressor is not None:
        children.append(name_in(suppressor))
    known = await context.alarms.get(context.scope, children) if children else {}
    absent = [name for name in children if name not in known]
    if absent:
        raise invalid(messages.no_children(names=", ".join(absent)))
    await keep(context, request)


OPERATIONS: Final = by_name(
    ServiceOperation(request=PutCompositeAlarm, run=put, constraints=PUT_COMPOSITE_ALARM_ROWS),
)
