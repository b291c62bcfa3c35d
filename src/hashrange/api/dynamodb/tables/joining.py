"""CreateTable with GlobalTableSourceArn: a replica in another account than its source.

Each replica is of an account of its own, and its policy allows the service to replicate. Source:
Developer Guide, "DynamoDB multi-account global tables".
"""

from collections.abc import Sequence
from typing import Final, Protocol, cast

import msgspec

from hashrange.access.policies.actions import SERVICE
from hashrange.access.policies.connections import service_keys
from hashrange.access.policies.decisions import Decisions, Subject, denial
from hashrange.access.policies.principals import Principal
from hashrange.api.dynamodb.definitions.billing import checked_class
from hashrange.api.dynamodb.definitions.encryption import check_encryption, encryption_of
from hashrange.api.dynamodb.definitions.table_names import new_table_name
from hashrange.api.dynamodb.replicas.adding import (
    ATTEMPTS,
    NewReplica,
    TableChangedError,
    add_replica,
    refuse_during_bulk,
    refuse_during_change,
)
from hashrange.api.dynamodb.replicas.scaling_descriptions import refuse_unscaled
from hashrange.api.dynamodb.tables.resource_policies import new_policy
from hashrange.api.dynamodb.tables.tags import checked_tags
from hashrange.api.steps.operation import RequestContext
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import replicas as messages
from hashrange.model.replication import Replica, Replication
from hashrange.model.structures.dynamodb import SSESpecification, Tag
from hashrange.model.table import Table, TableClass
from hashrange.regions.replication.denials import governed, refusal_of
from hashrange.regions.replication.groups import (
    account_in,
    is_of_accounts,
    names_of,
    replicas_of,
    with_account,
)
from hashrange.storage.engine import StorageError
from hashrange.tables.catalog.catalog import not_found
from hashrange.wire.arns import Arn, table_of

_ASSOCIATE: Final = f"{SERVICE}:AssociateTableReplica"
_COPIED: Final = {
    "attribute_definitions": "AttributeDefinitions",
    "key_schema": "KeySchema",
    "local_secondary_indexes": "LocalSecondaryIndexes",
    "global_secondary_indexes": "GlobalSecondaryIndexes",
    "billing_mode": "BillingMode",
    "provisioned_throughput": "ProvisionedThroughput",
    "stream_specification": "StreamSpecification",
    "warm_throughput": "WarmThroughput",
    "on_demand_throughput": "OnDemandThroughput",
}
"""Members that a replica has from its source."""


class CheckedJoin(msgspec.Struct, frozen=True, kw_only=True):
    """A request that passed all checks that need no table.

    Attributes:
        table_names: the name or ARN, as sent.
        name: of the new table and of its source.
        source: where the items come from.
        table_class: of the new table.
        deletion_protection: of the new table.
        tags: of the new table.
        policy: in canonical form.
        encryption: of the new table, as sent.
    """

    table_names: tuple[str]
    name: str
    source: Arn
    table_class: str | None
    deletion_protection: bool
    tags: dict[str, str]
    policy: str | None
    encryption: SSESpecification | None


class JoinRequest(Protocol):
    """CreateTable, as far as a replica in another account has it."""

    @property
    def table_name(self) -> str | None:
        """As sent."""

    @property
    def table_class(self) -> str | None:
        """As sent."""

    @property
    def deletion_protection_enabled(self) -> bool | None:
        """As sent."""

    @property
    def tags(self) -> list[Tag] | None:
        """As sent."""

    @property
    def sse_specification(self) -> SSESpecification | None:
        """As sent."""

    @property
    def global_table_settings_replication_mode(self) -> str | None:
        """As sent."""


def checked_join(request: JoinRequest, arn: str, policy: str | None) -> CheckedJoin:
    """The checked request that names a source. Raises ValidationException."""
    sent, name = str(request.table_name), new_table_name(request.table_name)
    table_class = checked_class(request.table_class)
    for field, member in _COPIED.items():
        if getattr(request, field) is not None:
            raise invalid(messages.copied_from_source(member))
    if request.global_table_settings_replication_mode != "ENABLED":
        raise invalid(messages.settings_mode_needed())
    source = table_of(arn)
    if source.table != name:
        raise invalid(messages.source_name(source.table))
    check_encryption(request.sse_specification)
    return CheckedJoin(
        table_names=(sent,),
        name=name,
        source=source,
        table_class=table_class,
        deletion_protection=request.deletion_protection_enabled is True,
        tags=checked_tags(request.tags or []),
        policy=policy,
        encryption=request.sse_specification,
    )


async def join(checked: CheckedJoin, context: RequestContext) -> Table:
    """Create the replica, in the account and region of the caller; the table as it is then.

    Raises DynamoError: ValidationException, ResourceNotFoundException, ResourceInUseException,
    AccessDeniedException.
    """
    choices, caller, source = context.choices, context.caller, checked.source
    if not choices.regions or not context.catalog.prefix:
        raise invalid(messages.regions_needed())
    for region in (source.region, caller.region):
        if region not in choices.regions:
            raise invalid(messages.region_not_supported(region, choices.regions))
        if region in choices.peer_regions:
            raise invalid(messages.source_elsewhere(region))
    catalog = context.catalog.whole.within(source.account, source.region)
    for _ in range(ATTEMPTS):
        opened = await catalog.open(source.table)
        if opened is None:
            raise not_found(source.table)
        table = opened.table
        members = await _members(table, context)
        _check_let_in(members[:1], context)
        _check_group(table, checked, context)
        _check_let_in(members[1:], context)
        _check_replicated(members, checked, context)
        if table.billing_mode == "PROVISIONED":
            await refuse_unscaled(table, context)
        await refuse_during_bulk(table, context)
        try:
            await add_replica(_new(checked, members, context), table, context)
        except TableChangedError:
            continue
        created = await context.catalog.open(checked.name)
        if created is None:
            raise not_found(checked.name)
        return created.table
    raise StorageError("the table changes too often")


async def _members(table: Table, context: RequestContext) -> list[Table]:
    """The source, and all other replicas of this server."""
    whole = context.catalog.whole
    found = [await whole.open(name) for name in names_of(context.catalog, table)]
    return [each.table for each in found if each is not None]


def _check_group(table: Table, checked: CheckedJoin, context: RequestContext) -> None:
    """Refuse a source that cannot have the replica now."""
    account, region = context.caller.account, context.caller.region
    if replicas_of(table) and not is_of_accounts(table):
        raise invalid(messages.source_of_one_account(table.arn))
    if not is_of_accounts(table) and table.settings_replication != "ENABLED":
        raise invalid(messages.source_without_settings(table.arn))
    regions = [table.region, *(each.region for each in replicas_of(table))]
    if region in regions:
        raise invalid(messages.region_has_replica(region))
    if account in {account_in(table, each) for each in regions}:
        raise invalid(messages.account_has_replica(account))
    refuse_during_change(table)
    assert table.name == checked.name, "checked"


def _check_let_in(members: Sequence[Table], context: RequestContext) -> None:
    """Refuse a caller whom members do not let in. The source is checked before it is shown.

    Raises AccessDeniedException.
    """
    account, region, now_ms = context.caller.account, context.caller.region, context.now_ms
    root = Principal(type="Account", arn=f"arn:aws:iam::{account}:root", account=account)
    subject = context.caller.subject or Subject(root)
    keys = service_keys(region=region, now_ms=now_ms)
    for member in members:
        resource = governed(member)
        decision = Decisions().decide(subject, _ASSOCIATE, resource, keys)
        if not decision.allowed:
            text = denial(decision, subject, _ASSOCIATE, resource)
            raise DynamoError(Fault.ACCESS_DENIED, text)


def _check_replicated(
    members: Sequence[Table], checked: CheckedJoin, context: RequestContext
) -> None:
    """Refuse policies that would not allow replication. Raises AccessDeniedException."""
    for member in _grown(members, checked, context):
        refusal = refusal_of(member, context.now_ms)
        if refusal is not None:
            raise DynamoError(Fault.ACCESS_DENIED, refusal)


def _grown(members: Sequence[Table], checked: CheckedJoin, context: RequestContext) -> list[Table]:
    """All members as they would be with the new one, as far as policies see them."""
    caller = context.caller
    places = [(each.account, each.region) for each in members] + [(caller.account, caller.region)]
    new = msgspec.structs.replace(
        members[0],
        account=caller.account,
        region=caller.region,
        policy=new_policy(checked.policy, context),
        tags=checked.tags,
    )
    return [_with_others(each, places) for each in (*members, new)]


def _with_others(table: Table, places: Sequence[tuple[str, str]]) -> Table:
    others = tuple(
        Replica(region=region, account=account)
        for account, region in places
        if region != table.region
    )
    return msgspec.structs.replace(
        table, replication=Replication(regions=(table.region,), replicas=others)
    )


def _new(checked: CheckedJoin, members: Sequence[Table], context: RequestContext) -> NewReplica:
    caller = context.caller
    accounts = {each.region: each.account for each in members}

    def finished(draft: Table) -> Table:
        for region, account in accounts.items():
            draft = with_account(draft, region, account)
        return msgspec.structs.replace(
            draft,
            settings_replication="ENABLED",
            table_class=cast("TableClass | None", checked.table_class),
            deletion_protection=checked.deletion_protection,
            tags=checked.tags,
            policy=new_policy(checked.policy, context),
            encryption=encryption_of(
                checked.encryption,
                account=caller.account,
                region=caller.region,
                choices=context.choices,
            ),
        )

    return NewReplica(
        region=caller.region,
        account=caller.account,
        is_remote=False,
        values={},
        known=lambda entry: entry,
        finished=finished,
    )
