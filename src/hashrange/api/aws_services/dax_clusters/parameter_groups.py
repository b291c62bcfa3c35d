"""Operations on parameter groups, and their parameters: the times to live of the caches."""

from typing import Final

import msgspec

from hashrange.api.aws_services.dax_clusters.context import (
    DaxContext,
    check_description,
    given,
    page_of,
)
from hashrange.api.aws_services.dax_clusters.groups import GroupKind
from hashrange.api.aws_services.dax_clusters.service import DaxError, invalid
from hashrange.api.aws_services.dax_clusters.store import DEFAULT_PARAMETERS, StoredParameters
from hashrange.limits.dax import PARAMETER_GROUPS_MAX, PARAMETERS_MAX, TTL_MS_MAX
from hashrange.messages import dax as messages
from hashrange.model.structures.dax import (
    CreateParameterGroup,
    DeleteParameterGroup,
    DeletionAnswer,
    DescribeDefaultParameters,
    DescribeParameterGroups,
    DescribeParameterGroupsAnswer,
    DescribeParameters,
    Parameter,
    ParameterGroup,
    ParameterGroupAnswer,
    ParameterNameValue,
    ParametersAnswer,
    UpdateParameterGroup,
)
from hashrange.wire.service import ServiceOperation, by_name

PARAMETER_GROUPS: Final = GroupKind(
    text="Parameter group",
    code="ParameterGroup",
    used_code="InvalidParameterGroupStateFault",
    default=StoredParameters(
        name=DEFAULT_PARAMETERS, description="Default parameter group for dax1.0"
    ),
    most=PARAMETER_GROUPS_MAX,
    rows_of=lambda rows: rows.parameters,
    used_by=lambda cluster: cluster.parameters,
)
_DEFAULT: Final = PARAMETER_GROUPS.default
_MEMBERS: Final = {"query-ttl-millis": "query_ttl_ms", "record-ttl-millis": "record_ttl_ms"}
_TEXTS: Final = {
    "query-ttl-millis": "Duration in milliseconds for queries to remain cached",
    "record-ttl-millis": (
        "Duration in milliseconds for records to remain valid in cache (Default: 0 = infinite)"
    ),
}
"""As the service describes them: the examples of the AWS CLI."""


async def create(request: CreateParameterGroup, context: DaxContext) -> ParameterGroupAnswer:
    """Create a group with the default values."""
    name = PARAMETER_GROUPS.name(request.parameter_group_name)
    check_description(request.description)
    made = StoredParameters(name=name, description=request.description)
    await PARAMETER_GROUPS.create(made, context)
    return _answer(made)


async def delete(request: DeleteParameterGroup, context: DaxContext) -> DeletionAnswer:
    """Delete a group that no cluster uses."""
    name = _changeable(request.parameter_group_name)
    await PARAMETER_GROUPS.delete(name, context)
    return DeletionAnswer(messages.parameter_group_deleted(name))


async def describe(
    request: DescribeParameterGroups, context: DaxContext
) -> DescribeParameterGroupsAnswer:
    """Describe named groups, or all; the default is the first."""
    found = await PARAMETER_GROUPS.listed(request.parameter_group_names, context)
    page, token = page_of(found, request.max_results, request.next_token)
    return DescribeParameterGroupsAnswer(
        parameter_groups=[ParameterGroup(each.name, each.description) for each in page],
        next_token=token,
    )


async def update(request: UpdateParameterGroup, context: DaxContext) -> ParameterGroupAnswer:
    """Change times to live; clusters that use the group keep new entries for the new times."""
    name = _changeable(request.parameter_group_name)
    changes = given(request.parameter_name_values, "ParameterNameValues")
    if len(changes) > PARAMETERS_MAX:
        raise invalid(messages.quota("parameters in a request", PARAMETERS_MAX))
    values = dict(map(_value, changes))

    def change(before: StoredParameters | None) -> StoredParameters:
        return msgspec.structs.replace(PARAMETER_GROUPS.existing(before, name), **values)

    changed = await context.rows.parameters.change(context.scope, name, change)
    assert changed is not None, "it was changed, not removed"
    await context.note(name, messages.parameters_changed(name))
    context.changed()
    return _answer(changed)


async def describe_parameters(request: DescribeParameters, context: DaxContext) -> ParametersAnswer:
    """Describe the parameters of a group."""
    name = given(request.parameter_group_name, "ParameterGroupName")
    group = await PARAMETER_GROUPS.find(name, context) or _DEFAULT
    found = [each for each in _parameters(group) if request.source in {None, each.source}]
    page, token = page_of(found, request.max_results, request.next_token)
    return ParametersAnswer(parameters=page, next_token=token)


async def describe_defaults(
    request: DescribeDefaultParameters, _context: DaxContext
) -> ParametersAnswer:
    """Describe the parameters of new groups."""
    page, token = page_of(_parameters(_DEFAULT), request.max_results, request.next_token)
    return ParametersAnswer(parameters=page, next_token=token)


def _parameters(group: StoredParameters) -> list[Parameter]:
    return [
        Parameter(
            parameter_name=name,
            parameter_type="DEFAULT",
            parameter_value=str(getattr(group, member)),
            node_type_specific_values=[],
            description=_TEXTS[name],
            source="user",
            data_type="integer",
            allowed_values="0-",
            is_modifiable="TRUE",
            change_type="IMMEDIATE",
        )
        for name, member in _MEMBERS.items()
    ]


def _value(given_value: ParameterNameValue) -> tuple[str, int]:
    """The member of a row that a request changes, and its value."""
    name = given(given_value.parameter_name, "ParameterName")
    text = given(given_value.parameter_value, "ParameterValue")
    member = _MEMBERS.get(name)
    if member is None:
        raise invalid(messages.parameter_unknown(name[:100]))
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(TTL_MS_MAX))):
        raise invalid(messages.parameter_value(name, text[:100]))
    if int(text) > TTL_MS_MAX:
        raise invalid(messages.parameter_value(name, text))
    return member, int(text)


def _changeable(sent: str | None) -> str:
    """The name of a group that is not the default."""
    name = PARAMETER_GROUPS.name(sent)
    if name == DEFAULT_PARAMETERS:
        raise DaxError(
            "InvalidParameterGroupStateFault", messages.group_fixed(PARAMETER_GROUPS.text, name)
        )
    return name


def _answer(group: StoredParameters) -> ParameterGroupAnswer:
    return ParameterGroupAnswer(ParameterGroup(group.name, group.description))


OPERATIONS: Final = by_name(
    ServiceOperation(request=CreateParameterGroup, run=create),
    ServiceOperation(request=DeleteParameterGroup, run=delete),
    ServiceOperation(request=DescribeDefaultParameters, run=describe_defaults),
    ServiceOperation(request=DescribeParameterGroups, run=describe),
    ServiceOperation(request=DescribeParameters, run=describe_parameters),
    ServiceOperation(request=UpdateParameterGroup, run=update),
)
