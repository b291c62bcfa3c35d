"""Operations on subnet groups. There are no networks here: a group is the names in it."""

import re
from typing import Final

from hashrange.api.aws_services.dax_clusters.context import (
    DaxContext,
    check_description,
    given,
    page_of,
)
from hashrange.api.aws_services.dax_clusters.groups import GroupKind
from hashrange.api.aws_services.dax_clusters.service import DaxError, invalid
from hashrange.api.aws_services.dax_clusters.store import DEFAULT_SUBNETS, StoredSubnets
from hashrange.limits.dax import SUBNET_GROUPS_MAX, SUBNETS_MAX
from hashrange.messages import dax as messages
from hashrange.model.structures.dax import (
    CreateSubnetGroup,
    DeleteSubnetGroup,
    DeletionAnswer,
    DescribeSubnetGroups,
    DescribeSubnetGroupsAnswer,
    Subnet,
    SubnetGroup,
    SubnetGroupAnswer,
    UpdateSubnetGroup,
)
from hashrange.wire.service import ServiceOperation, by_name

_SUBNET: Final = re.compile(r"subnet-[0-9a-f]{1,40}")
_VPC: Final = "vpc-00000000"
SUBNET_GROUPS: Final = GroupKind(
    text="Subnet group",
    code="SubnetGroup",
    used_code="SubnetGroupInUseFault",
    default=StoredSubnets(name=DEFAULT_SUBNETS, subnets=(), description="Default CacheSubnetGroup"),
    most=SUBNET_GROUPS_MAX,
    rows_of=lambda rows: rows.subnets,
    used_by=lambda cluster: cluster.subnets,
)


async def create(request: CreateSubnetGroup, context: DaxContext) -> SubnetGroupAnswer:
    """Create a group."""
    name = SUBNET_GROUPS.name(request.subnet_group_name)
    check_description(request.description)
    subnets = _checked(given(request.subnet_ids, "SubnetIds"))
    made = StoredSubnets(name=name, subnets=subnets, description=request.description)
    await SUBNET_GROUPS.create(made, context)
    return SubnetGroupAnswer(_described(made, context.region))


async def update(request: UpdateSubnetGroup, context: DaxContext) -> SubnetGroupAnswer:
    """Change what is given of a group."""
    name = _changeable(request.subnet_group_name)
    check_description(request.description)
    subnets = None if request.subnet_ids is None else _checked(request.subnet_ids)

    def change(before: StoredSubnets | None) -> StoredSubnets:
        group = SUBNET_GROUPS.existing(before, name)
        return StoredSubnets(
            name=name,
            subnets=group.subnets if subnets is None else subnets,
            description=group.description if request.description is None else request.description,
        )

    changed = await context.rows.subnets.change(context.scope, name, change)
    assert changed is not None, "it was changed, not removed"
    return SubnetGroupAnswer(_described(changed, context.region))


async def delete(request: DeleteSubnetGroup, context: DaxContext) -> DeletionAnswer:
    """Delete a group that no cluster uses."""
    name = _changeable(request.subnet_group_name)
    await SUBNET_GROUPS.delete(name, context)
    return DeletionAnswer(messages.subnet_group_deleted(name))


async def describe(
    request: DescribeSubnetGroups, context: DaxContext
) -> DescribeSubnetGroupsAnswer:
    """Describe named groups, or all; the default is the first."""
    found = await SUBNET_GROUPS.listed(request.subnet_group_names, context)
    page, token = page_of(found, request.max_results, request.next_token)
    return DescribeSubnetGroupsAnswer(
        subnet_groups=[_described(each, context.region) for each in page], next_token=token
    )


def _changeable(sent: str | None) -> str:
    """The name of a group that is not the default. Raises InvalidParameterValueException."""
    name = SUBNET_GROUPS.name(sent)
    if name == DEFAULT_SUBNETS:
        raise invalid(messages.group_reserved(name))
    return name


def _checked(subnets: list[str]) -> tuple[str, ...]:
    """The names of subnets. Raises InvalidSubnet, SubnetQuotaExceededFault."""
    if len(subnets) > SUBNETS_MAX:
        text = messages.quota("subnets of a group", SUBNETS_MAX)
        raise DaxError("SubnetQuotaExceededFault", text)
    for each in subnets:
        if _SUBNET.fullmatch(each) is None:
            raise DaxError("InvalidSubnet", messages.value_invalid("SubnetId", each[:100]))
    if not subnets:
        raise DaxError("InvalidSubnet", messages.required("SubnetIds"))
    return tuple(dict.fromkeys(subnets))


def _described(group: StoredSubnets, region: str) -> SubnetGroup:
    return SubnetGroup(
        subnet_group_name=group.name,
        description=group.description,
        vpc_id=_VPC,
        subnets=[
            Subnet(each, f"{region}{'abc'[place % 3]}", ["ipv4"])
            for place, each in enumerate(group.subnets)
        ],
        supported_network_types=["ipv4"],
    )


OPERATIONS: Final = by_name(
    ServiceOperation(request=CreateSubnetGroup, run=create),
    ServiceOperation(request=DeleteSubnetGroup, run=delete),
    ServiceOperation(request=DescribeSubnetGroups, run=describe),
    ServiceOperation(request=UpdateSubnetGroup, run=update),
)
