"""The definition of a table that is restored: that of its source, with what the request overrides.

Streams, time to live, tags, policies, deletion protection, the table class and point-in-time
recovery are not restored.

Source: Developer Guide, "Restoring a table"; measured by users, October 2026.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias, cast

import msgspec

from hashrange.api.dynamodb.definitions.encryption import (
    check_encryption,
    encryption_of,
    refuse_encryption,
)
from hashrange.api.dynamodb.definitions.on_demand_limits import new_limits
from hashrange.api.dynamodb.definitions.throughput import check_maximum, check_units, throughput_of
from hashrange.api.dynamodb.indexes.definitions import (
    Definitions,
    checked_indexes,
)
from hashrange.api.dynamodb.indexes.vectors import (
    VectorTerms,
    checked_vectors,
    schema_attributes,
)
from hashrange.api.steps.accesses import Access, Resource
from hashrange.api.steps.operation import RequestContext
from hashrange.api.steps.table_lookup import deleting_table
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables import backups as messages
from hashrange.messages.tables.operations import table_exists
from hashrange.messages.vectors import not_in_source, only_on_demand
from hashrange.model.structures.dynamodb import (
    RestoreTableFromBackup,
    RestoreTableToPointInTime,
)
from hashrange.model.table import BillingMode, Index, OnDemandLimits, Table, Throughput
from hashrange.model.table_features import Restore
from hashrange.tables.catalog.dropped_tables import NO_EXTRA_ROWS, ExtraRows

_TARGET_ACTIONS: Final = (
    "BatchWriteItem",
    "DeleteItem",
    "GetItem",
    "PutItem",
    "Query",
    "Scan",
    "UpdateItem",
)
"""Actions on the target that a restore needs. Source: Service Authorization Reference."""


Overrides: TypeAlias = RestoreTableFromBackup | RestoreTableToPointInTime


def check_overrides(request: Overrides) -> None:
    """Refuse overrides that no source makes valid."""
    check_encryption(request.sse_specification_override)
    for index in request.global_secondary_index_override or ():
        if index.warm_throughput is not None:
            raise invalid(messages.warm_throughput_override(str(index.index_name)))
    check_units(request.provisioned_throughput_override)


def target_accesses(request: Overrides) -> Iterable[Access]:
    """The actions on the target."""
    table = Resource("table", str(request.target_table_name))
    return [Access(action, table) for action in _TARGET_ACTIONS]


async def create_restored(
    request: Overrides,
    source: Table,
    context: RequestContext,
    *,
    restore: Restore,
    extra: ExtraRows = NO_EXTRA_ROWS,
) -> Table:
    """Create the target, whose items are written in the background.

    Args:
        request: the overrides.
        source: the definition of the source.
        context: of the request.
        restore: where the items come from.
        extra: what is written together with the target.

    Raises:
        DynamoError: TableAlreadyExistsException, TableInUseException, ValidationException.
    """
    name, region = str(request.target_table_name), context.caller.region
    encryption = request.sse_specification_override
    refuse_encryption(encryption, context.choices)
    await _refuse_taken(name, context)
    target = _defined(request, source)
    account, now_ms = context.caller.account, context.now_ms

    def draft(number: int) -> Table:
        check_maximum(target.throughput, region, context.choices.table_units)
        return msgspec.structs.replace(
            target,
            number=number,
            id=context.new_id,
            name=name,
            account=account,
            region=region,
            created_ms=now_ms,
            billing_switched_ms=now_ms if target.billing_mode == "PAY_PER_REQUEST" else None,
            encryption=source.encryption
            if encryption is None
            else encryption_of(encryption, account=account, region=region, choices=context.choices),
            restore=restore,
        )

    try:
        return await context.catalog.create(draft, name, extra)
    except DynamoError as error:
        if error.fault is Fault.RESOURCE_IN_USE:
            raise DynamoError(Fault.TABLE_EXISTS, table_exists(name)) from error
        raise


async def _refuse_taken(name: str, context: RequestContext) -> None:
    opened = await context.catalog.open(name)
    if opened is not None and opened.table.restore is not None:
        source = opened.table.restore.backup_arn or opened.table.restore.source_arn
        raise DynamoError(Fault.TABLE_IN_USE, messages.already_restoring(name, source))
    if opened is not None or await deleting_table(context.catalog, name, context) is not None:
        raise DynamoError(Fault.TABLE_EXISTS, table_exists(name))


def _defined(request: Overrides, source: Table) -> Table:
    """The target, but for what is its own; number and name are those of the source."""
    mode = cast("BillingMode", request.billing_mode_override or source.billing_mode)
    throughput, limits = _capacity(request, source, mode)
    indexes = tuple(
        msgspec.structs.replace(index, number=number)
        for number, index in enumerate(_indexes(request, source, mode), start=1)
    )
    vectors = _vectors(request, source, mode)
    keys = (source.key_attributes, *map(schema_attributes, (*indexes, *vectors)))
    used = {attribute for key in keys for attribute in key}
    return Table(
        number=source.number,
        id=source.id,
        name=source.name,
        account=source.account,
        region=source.region,
        created_ms=source.created_ms,
        attributes=tuple(each for each in source.attributes if each in used),
        partition=source.partition,
        sort=source.sort,
        billing_mode=mode,
        throughput=throughput,
        on_demand=limits,
        indexes=indexes,
        vectors=tuple(
            msgspec.structs.replace(index, number=number, state="ACTIVE", created_ms=0)
            for number, index in enumerate(vectors, start=len(indexes) + 1)
        ),
        next_index=len(indexes) + len(vectors) + 1,
        counts_collections=any(index.is_local for index in indexes),
    )


def _capacity(
    request: Overrides, source: Table, mode: BillingMode
) -> tuple[Throughput, OnDemandLimits]:
    units, limits = request.provisioned_throughput_override, request.on_demand_throughput_override
    if units is not None and mode != "PROVISIONED":
        raise invalid(messages.units_need_provisioned())
    if request.billing_mode_override == "PROVISIONED" and units is None:
        raise invalid(messages.provisioned_needs_units())
    if limits is not None and mode != "PAY_PER_REQUEST":
        raise invalid(messages.limits_need_on_demand())
    kept = source.on_demand if mode == "PAY_PER_REQUEST" else OnDemandLimits()
    throughput = Throughput(
        read_units=source.throughput.read_units, write_units=source.throughput.write_units
    )
    if units is not None:
        throughput = throughput_of(units)
    elif mode == "PAY_PER_REQUEST":
        throughput = Throughput()
    return throughput, kept if limits is None else new_limits(limits, mode)


def _indexes(request: Overrides, source: Table, mode: BillingMode) -> Iterable[Index]:
    """The indexes of the target: those of the source that the request does not leave out."""
    sent_global = request.global_secondary_index_override
    sent_local = request.local_secondary_index_override
    definitions = Definitions(
        {attribute.name: attribute for attribute in source.attributes},
        source.key_attributes,
        mode,
    )
    overridden = checked_indexes(sent_global, sent_local, definitions)
    for index in overridden:
        if not any(_is_alike(index, other) for other in source.indexes):
            raise invalid(messages.index_not_in_source(index.name))
    for is_local, sent in ((False, sent_global), (True, sent_local)):
        found: Sequence[Index] = overridden
        if sent is None:
            if not is_local:
                _refuse_without_units(source, mode)
            found = [_as_new(index, mode) for index in source.indexes]
        yield from (index for index in found if index.is_local is is_local)


def _vectors(request: Overrides, source: Table, mode: BillingMode) -> Sequence[Index]:
    """The vector indexes of the target, likewise."""
    if request.vector_index_override is None:
        found: Sequence[Index] = source.vectors
        if found and mode != "PAY_PER_REQUEST":
            raise invalid(only_on_demand())
        return found
    terms = VectorTerms(
        on_demand=mode == "PAY_PER_REQUEST",
        declared={attribute.name: attribute for attribute in source.attributes},
        others=(),
        keys=source.key_attributes,
    )
    found = checked_vectors(request.vector_index_override, terms)
    for index in found:
        if not any(_is_alike(index, other) for other in source.vectors):
            raise invalid(not_in_source(index.name))
    return found


def _refuse_without_units(source: Table, mode: BillingMode) -> None:
    """Refuse to make a table provisioned whose global indexes were on demand."""
    if mode == "PROVISIONED" and source.billing_mode != mode:
        for index in source.indexes:
            if not index.is_local:
                raise invalid(messages.provisioned_index_needs_units(index.name))


def _is_alike(one: Index, other: Index) -> bool:
    """Whether two indexes differ in their names and units only."""
    same: tuple[Callable[[Index], object], ...] = (
        lambda index: index.is_local,
        lambda index: index.partition,
        lambda index: index.sort,
        lambda index: index.projection,
        lambda index: frozenset(index.non_key),
        lambda index: index.vector,
    )
    return all(get(one) == get(other) for get in same)


def _as_new(index: Index, mode: BillingMode) -> Index:
    """An index of the source, as that of a new table."""
    on_demand = mode == "PAY_PER_REQUEST"
    units = index.throughput
    return Index(
        name=index.name,
        number=index.number,
        is_local=index.is_local,
        partition=index.partition,
        sort=index.sort,
        projection=index.projection,
        non_key=index.non_key,
        throughput=Throughput()
        if on_demand
        else Throughput(read_units=units.read_units, write_units=units.write_units),
        on_demand=index.on_demand if on_demand else OnDemandLimits(),
    )
