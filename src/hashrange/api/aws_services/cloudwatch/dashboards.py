"""PutDashboard, GetDashboard, ListDashboards and DeleteDashboards."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from hashrange.api.aws_services.cloudwatch.requests import (
    CloudWatchContext,
    dashboard_arn,
    offset_of,
    tags_of,
)
from hashrange.api.aws_services.cloudwatch.service import invalid_value, refusal
from hashrange.errors import ApiError
from hashrange.limits.cloudwatch import (
    DASHBOARD_BYTES_MAX,
    DASHBOARD_HEIGHT_MAX,
    DASHBOARD_MESSAGES_MAX,
    DASHBOARD_WIDGETS_MAX,
    DASHBOARD_WIDTH_MAX,
    DELETED_DASHBOARDS_MAX,
    LISTED_DASHBOARDS_MAX,
)
from hashrange.messages import cloudwatch as messages
from hashrange.model.structures.cloudwatch import (
    DashboardEntry,
    DashboardValidationMessage,
    DeleteDashboards,
    DeleteDashboardsAnswer,
    GetDashboard,
    GetDashboardAnswer,
    ListDashboards,
    ListDashboardsAnswer,
    PutDashboard,
    PutDashboardAnswer,
)
from hashrange.tables.series.dashboards import Dashboard
from hashrange.wire.codec import DECODE_ERRORS, is_json
from hashrange.wire.model_constraints import cloudwatch as constraints
from hashrange.wire.service import ServiceOperation, by_name

_is_name: Final = re.compile(r"[A-Za-z0-9_-]{1,255}", re.ASCII).fullmatch
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_LIMITS: Final = {
    "x": (0, DASHBOARD_WIDTH_MAX - 1),
    "y": (0, None),
    "width": (1, DASHBOARD_WIDTH_MAX),
    "height": (1, DASHBOARD_HEIGHT_MAX),
}
"""The least and the greatest value of the numbers of a widget."""


async def put(request: PutDashboard, context: CloudWatchContext) -> PutDashboardAnswer:
    """Store a dashboard, in place of the one of its name, whose tags it keeps."""
    name, body = str(request.dashboard_name), str(request.dashboard_body)
    tags = tags_of(request.tags)
    if _is_name(name) is None:
        found = [DashboardValidationMessage("", messages.dashboard_name())]
    else:
        found = [DashboardValidationMessage(*each) for each in _faults(body)]
    if found:
        shown = found[:DASHBOARD_MESSAGES_MAX]
        listed = "; ".join(f"{each.data_path or '/'}: {each.message}" for each in shown)
        raise ApiError(
            "DashboardInvalidInputError",
            messages.dashboard_invalid(count=len(found), listed=listed),
            {"dashboardValidationMessages": msgspec.to_builtins(shown)},
            code="InvalidParameterInput",
        )

    def decide(before: Dashboard | None) -> Dashboard:
        return Dashboard(name, body, context.now_ms, tags if before is None else before.tags)

    await context.dashboards.change(context.dashboard_scope, name, decide)
    return PutDashboardAnswer([])


def _faults(body: str) -> Iterator[tuple[str, str]]:
    """The faults of a body: where, and what."""
    data = body.encode("utf-8", "replace")
    if len(data) > DASHBOARD_BYTES_MAX:
        yield "", messages.dashboard_size(most=DASHBOARD_BYTES_MAX)
        return
    try:
        if not is_json(data):
            raise msgspec.DecodeError
        members = _decode(data)
    except DECODE_ERRORS:
        yield "", messages.dashboard_json()
        return
    widgets = members.get("widgets")
    if not isinstance(widgets, list):
        yield "", messages.dashboard_member(name="widgets")
        return
    if len(widgets) > DASHBOARD_WIDGETS_MAX:
        yield "/widgets", messages.dashboard_widgets(most=DASHBOARD_WIDGETS_MAX)
        return
    for number, widget in enumerate(widgets):
        yield from _of_widget(f"/widgets/{number}", widget)


def _of_widget(path: str, widget: object) -> Iterator[tuple[str, str]]:
    if not isinstance(widget, dict):
        yield path, messages.dashboard_type(kind="object")
        return
    for name, kind, word in (("type", str, "string"), ("properties", dict, "object")):
        if name not in widget:
            yield path, messages.dashboard_member(name=name)
        elif not isinstance(widget[name], kind):
            yield f"{path}/{name}", messages.dashboard_type(kind=word)
    for name, (least, most) in _LIMITS.items():
        value = widget.get(name, least)
        if isinstance(value, bool) or not isinstance(value, int):
            yield f"{path}/{name}", messages.dashboard_type(kind="integer")
        elif value < least:
            yield f"{path}/{name}", messages.dashboard_least(least=least)
        elif most is not None and value > most:
            yield f"{path}/{name}", messages.dashboard_most(most=most)


async def get(request: GetDashboard, context: CloudWatchContext) -> GetDashboardAnswer:
    """A dashboard as it was put."""
    name = _checked(request.dashboard_name)
    found = await context.dashboards.get(context.dashboard_scope, name)
    if found is None:
        raise _missing(name)
    return GetDashboardAnswer(dashboard_arn(context.account, name), found.body, name)


async def list_dashboards(
    request: ListDashboards, context: CloudWatchContext
) -> ListDashboardsAnswer:
    """A page of the dashboards, in the order of their names."""
    prefix = request.dashboard_name_prefix or ""
    if prefix:
        _checked(prefix)
    skipped = offset_of(request.next_token)
    end = skipped + LISTED_DASHBOARDS_MAX
    found: list[DashboardEntry] = []
    count = 0
    async for each in context.dashboards.all(context.dashboard_scope, prefix):
        if skipped <= count < end:
            arn, size = dashboard_arn(context.account, each.name), len(each.body.encode())
            found.append(DashboardEntry(each.name, arn, each.modified_ms / 1000, size))
        count += 1
        if count > end:
            break
    return ListDashboardsAnswer(found, str(end) if count > end else None)


async def delete(request: DeleteDashboards, context: CloudWatchContext) -> DeleteDashboardsAnswer:
    """Delete dashboards: all of them, or none if one is missing."""
    names = [*dict.fromkeys(_checked(each) for each in request.dashboard_names or ())]
    if not 0 < len(names) <= DELETED_DASHBOARDS_MAX:
        text = messages.out_of_range(name="DashboardNames", least=1, most=DELETED_DASHBOARDS_MAX)
        raise invalid_value(text)
    missing = await context.dashboards.delete(context.dashboard_scope, names)
    if missing:
        raise _missing(missing[0])
    return DeleteDashboardsAnswer()


def _checked(name: str | None) -> str:
    if name is None or _is_name(name) is None:
        raise invalid_value(messages.statistic(name="DashboardName", value=repr(name)))
    return name


def _missing(name: str) -> ApiError:
    return refusal("DashboardNotFoundError", messages.no_dashboard(name=name), status=404)


OPERATIONS: Final = by_name(
    ServiceOperation(request=PutDashboard, run=put, constraints=constraints.PUT_DASHBOARD_ROWS),
    ServiceOperation(request=GetDashboard, run=get, constraints=constraints.GET_DASHBOARD_ROWS),
    ServiceOperation(
        request=ListDashboards, run=list_dashboards, constraints=constraints.LIST_DASHBOARDS_ROWS
    ),
    ServiceOperation(
        request=DeleteDashboards, run=delete, constraints=constraints.DELETE_DASHBOARDS_ROWS
    ),
)
