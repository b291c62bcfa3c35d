"""DescribeTableReplicaAutoScaling, UpdateTableReplicaAutoScaling: the targets of all replicas.

Source: API reference; users' measurements of the service, October 2026: both show and change the
targets and policies of Application Auto Scaling, and have no state of their own.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import msgspec

from hashrange.api.aws_services.scaling.requests import target_refusal
from hashrange.api.dynamodb.definitions.table_names import TableReference, existing_table
from hashrange.api.dynamodb.replicas.scaling_descriptions import described_scaling, resource_of
from hashrange.api.steps.accesses import Access, Resource, on_tables
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages import scaling as messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import (
    AutoScalingSettingsUpdate,
    DescribeTableReplicaAutoScaling,
    ReplicaAutoScalingUpdate,
    TableAutoScalingAnswer,
    UpdateTableReplicaAutoScaling,
)
from hashrange.model.table import Table
from hashrange.regions.replication.groups import name_in, replicas_of, sent_replica
from hashrange.regions.replication.shared_targets import (
    address_in,
    change_shared,
)
from hashrange.tables.jobs.scaling_rows import (
    INDEX_READ,
    INDEX_WRITE,
    TABLE_READ,
    TABLE_WRITE,
    StoredPolicy,
    StoredTarget,
    TargetAddress,
    scaling_role,
)
from hashrange.wire.arns import table_name_of
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import UPDATE_TABLE_REPLICA_AUTO_SCALING_ROWS
from hashrange.wire.rules import Form

_METRICS: Final = {
    TABLE_READ: "DynamoDBReadCapacityUtilization",
    INDEX_READ: "DynamoDBReadCapacityUtilization",
    TABLE_WRITE: "DynamoDBWriteCapacityUtilization",
    INDEX_WRITE: "DynamoDBWriteCapacityUtilization",
}


class CheckedUpdate(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no table."""

    table: TableReference
    request: UpdateTableReplicaAutoScaling

    @property
    def table_names(self) -> tuple[str]:
        """The name or ARN, as sent."""
        return self.table.table_names


class Setting(msgspec.Struct, frozen=True):
    """New settings of a target; all regions have those of write units in common."""

    resource: str
    dimension: str
    region: str
    sent: AutoScalingSettingsUpdate


def check_describe(request: DescribeTableReplicaAutoScaling) -> TableReference:
    """Refuse an invalid name."""
    return existing_table(request.table_name)


def check_update(request: UpdateTableReplicaAutoScaling) -> CheckedUpdate:
    """Refuse invalid members, and settings that are not complete, also of no global table.

    Source: captures of the service, September 2026.
    """
    check_constraints(request, UPDATE_TABLE_REPLICA_AUTO_SCALING_ROWS, Form.MODEL)
    reference = existing_table(request.table_name)
    sent = list(_sent(request))
    if not sent and not request.replica_updates:
        raise invalid(messages.nothing(reference.name))
    for settings in sent:
        _check_complete(settings, reference.name)
    return CheckedUpdate(reference, request)


def _sent(request: UpdateTableReplicaAutoScaling) -> Iterator[AutoScalingSettingsUpdate]:
    """All settings of a request: of writes, then of reads."""
    replicas = request.replica_updates or ()
    found = [
        request.provisioned_write_capacity_auto_scaling_update,
        *(
            index.provisioned_write_capacity_auto_scaling_update
            for index in request.global_secondary_index_updates or ()
        ),
        *(each.replica_provisioned_read_capacity_auto_scaling_update for each in replicas),
        *(
            index.provisioned_read_capacity_auto_scaling_update
            for each in replicas
            for index in each.replica_global_secondary_index_updates or ()
        ),
    ]
    return (each for each in found if each is not None)


def _check_complete(sent: AutoScalingSettingsUpdate, table: str) -> None:
    given = {
        "MaximumUnits": sent.maximum_units,
        "ScalingPolicyUpdate": sent.scaling_policy_update,
        "MinimumUnits": sent.minimum_units,
    }
    if sent.auto_scaling_disabled:
        names = [name for name, value in given.items() if value is not None]
        if names:
            raise invalid(messages.left_blank(table, names))
        return
    missing = [name for name, value in given.items() if value is None]
    if missing:
        raise invalid(messages.required(table, missing))


def no_global_table(name_or_arn: str) -> DynamoError:
    """The ResourceNotFoundException of both operations, also for a table of one region."""
    text = messages.no_global_table(table_name_of(name_or_arn))
    return DynamoError(Fault.RESOURCE_NOT_FOUND, text)


async def run_describe(reference: TableReference, context: RequestContext) -> Outcome:
    """The settings of all replicas."""
    members = await _members(reference.name, context)
    if not members:
        raise no_global_table(reference.name)
    return Outcome(TableAutoScalingAnswer(await described_scaling(members, context)))


async def run_update(checked: CheckedUpdate, context: RequestContext) -> Outcome:
    """Change targets and policies; the settings of all replicas before.

    Source: users' measurements of the service, October 2026.

    Raises ResourceNotFoundException, ValidationException.
    """
    members = await _members(checked.table.name, context)
    if not members:
        raise no_global_table(checked.table.name)
    settings = _settings(checked.request, members)
    on_demand = sorted(each.region for each in members if each.billing_mode != "PROVISIONED")
    named = sorted({_parameter(each) for each in settings if not each.sent.auto_scaling_disabled})
    if on_demand and named:
        raise invalid(messages.replica_on_demand(checked.table.name, on_demand, named))
    for setting in settings:
        _check(setting, context.new_id)
    table, before = members[0], await described_scaling(members, context)
    for setting in settings:
        address = address_in(table, setting.region, setting.resource, setting.dimension)
        change = _changed(setting, address, table.account, context)
        await change_shared(
            context.catalog,
            context.store.engine,
            table,
            address,
            change=change,
            now_ms=context.now_ms,
        )
    return Outcome(TableAutoScalingAnswer(before))


async def _members(name: str, context: RequestContext) -> list[Table]:
    """The table, then its other replicas; nothing for a table that has none.

    Those on other servers are as this one knows them.
    """
    opened = await context.catalog.open(name)
    if opened is None or not replicas_of(opened.table):
        return []
    found = [opened.table]
    for replica in replicas_of(opened.table):
        if replica.is_remote:
            found.append(sent_replica(opened.table, replica, context.now_ms))
            continue
        whole = context.catalog.whole
        other = await whole.open(name_in(whole, opened.table, replica.region))
        if other is not None:
            found.append(other.table)
    return found


def _settings(request: UpdateTableReplicaAutoScaling, members: Sequence[Table]) -> list[Setting]:
    """All settings of a request. Raises ResourceNotFoundException, ValidationException."""
    table = members[0]
    regions = [member.region for member in members]
    sent_regions = [str(each.region_name) for each in request.replica_updates or ()]
    twice = [each for each in dict.fromkeys(sent_regions) if sent_regions.count(each) > 1]
    if twice:
        raise invalid(messages.regions_twice(table.name, twice))
    _refuse_unknown_indexes(request, table)
    found = list(_writes(request, table))
    for replica in request.replica_updates or ():
        region = str(replica.region_name)
        if region not in regions:
            text = messages.no_replica(table.name, region)
            raise DynamoError(Fault.RESOURCE_NOT_FOUND, text)
        reads = list(_reads(replica, table, region))
        if not reads:
            raise invalid(messages.nothing_for(table.name, region))
        found += reads
    return found


def _writes(request: UpdateTableReplicaAutoScaling, table: Table) -> Iterator[Setting]:
    sent = request.provisioned_write_capacity_auto_scaling_update
    if sent is not None:
        yield Setting(resource_of(table), TABLE_WRITE, table.region, sent)
    for index in request.global_secondary_index_updates or ():
        sent = index.provisioned_write_capacity_auto_scaling_update
        if sent is not None:
            resource = resource_of(table, str(index.index_name))
            yield Setting(resource, INDEX_WRITE, table.region, sent)


def _reads(replica: ReplicaAutoScalingUpdate, table: Table, region: str) -> Iterator[Setting]:
    sent = replica.replica_provisioned_read_capacity_auto_scaling_update
    if sent is not None:
        yield Setting(resource_of(table), TABLE_READ, region, sent)
    for index in replica.replica_global_secondary_index_updates or ():
        sent = index.provisioned_read_capacity_auto_scaling_update
        if sent is not None:
            resource = resource_of(table, str(index.index_name))
            yield Setting(resource, INDEX_READ, region, sent)


def _refuse_unknown_indexes(request: UpdateTableReplicaAutoScaling, table: Table) -> None:
    """Raise ResourceNotFoundException for indexes that the table has not."""
    sent = [index.index_name for index in request.global_secondary_index_updates or ()]
    for replica in request.replica_updates or ():
        sent += [each.index_name for each in replica.replica_global_secondary_index_updates or ()]
    known = {index.name for index in table.indexes if not index.is_local}
    unknown = [str(name) for name in dict.fromkeys(sent) if name not in known]
    if unknown:
        text = messages.no_indexes(table.name, unknown)
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, text)


def _parameter(setting: Setting) -> str:
    """The name of a setting in errors, which is that of UpdateGlobalTableSettings."""
    names = {
        TABLE_WRITE: "GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate",
        INDEX_WRITE: "ProvisionedWriteCapacityAutoScalingSettingsUpdate",
        TABLE_READ: "ReplicaProvisionedReadCapacityAutoScalingSettingsUpdate",
        INDEX_READ: "ProvisionedReadCapacityAutoScalingSettingsUpdate",
    }
    return names[setting.dimension]


def _check(setting: Setting, request_id: str) -> None:
    sent = setting.sent
    if sent.auto_scaling_disabled:
        return
    assert sent.minimum_units is not None
    assert sent.maximum_units is not None, "checked"
    if sent.maximum_units < sent.minimum_units:
        raise invalid(messages.passed_on(messages.replica_maximum_below_minimum(), request_id))
    text = target_refusal(_percent(sent), _METRICS[setting.dimension])
    if text is not None:
        raise invalid(messages.passed_on(text, request_id))


def _percent(sent: AutoScalingSettingsUpdate) -> float:
    policy = sent.scaling_policy_update
    assert policy is not None
    tracking = policy.target_tracking_scaling_policy_configuration
    assert tracking is not None
    assert tracking.target_value is not None, "required by the model"
    return tracking.target_value


def _changed(
    setting: Setting, address: TargetAddress, account: str, context: RequestContext
) -> Callable[[StoredTarget | None], StoredTarget | None]:
    """The change of a target; its scheduled actions stay, its policies are replaced."""
    sent = setting.sent
    new_id = context.new_id

    def change(before: StoredTarget | None) -> StoredTarget | None:
        if sent.auto_scaling_disabled:
            return None
        policy = sent.scaling_policy_update
        assert policy is not None
        tracking = policy.target_tracking_scaling_policy_configuration
        assert tracking is not None
        assert sent.minimum_units is not None
        assert sent.maximum_units is not None, "checked"
        base = before or StoredTarget(
            scope=address.scope,
            resource=address.resource,
            dimension=address.dimension,
            account=account,
            region=address.region,
            id=new_id.replace("-", ""),
            created_ms=context.now_ms,
            min_units=1,
            max_units=1,
            role=scaling_role(account),
        )
        stored = StoredPolicy(
            name=policy.policy_name or f"{_METRICS[address.dimension]}:{address.resource}",
            id=new_id,
            created_ms=context.now_ms,
            percent=_percent(sent),
            out_cooldown_seconds=tracking.scale_out_cooldown,
            in_cooldown_seconds=tracking.scale_in_cooldown,
            in_disabled=tracking.disable_scale_in,
        )
        return msgspec.structs.replace(
            base,
            min_units=sent.minimum_units,
            max_units=sent.maximum_units,
            policies=(stored,),
        )

    return change


def accesses(checked: CheckedUpdate) -> Iterable[Access]:
    """The action on the table, and on the replicas whose read units change."""
    action, name = "UpdateTableReplicaAutoScaling", checked.table.name
    regions = [str(each.region_name) for each in checked.request.replica_updates or ()]
    return [
        *on_tables(action)(checked),
        *(Access(action, Resource("replica", name, region=region)) for region in regions),
    ]


DESCRIBE: Final = Operation(
    facts=OPERATION_FACTS["DescribeTableReplicaAutoScaling"],
    request=DescribeTableReplicaAutoScaling,
    check=check_describe,
    accesses=on_tables("DescribeTableReplicaAutoScaling"),
    not_found=no_global_table,
    run=run_describe,
)
UPDATE: Final = Operation(
    facts=OPERATION_FACTS["UpdateTableReplicaAutoScaling"],
    request=UpdateTableReplicaAutoScaling,
    check=check_update,
    accesses=accesses,
    not_found=no_global_table,
    run=run_update,
)
