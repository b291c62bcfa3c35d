"""Checks the definitions of secondary indexes, and makes the `Index` that the catalog stores."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias, cast

import msgspec

from hashrange.api.dynamodb.definitions.on_demand_limits import check_limits_quota, new_limits
from hashrange.api.dynamodb.definitions.throughput import check_maximum, check_units, throughput_of
from hashrange.api.dynamodb.definitions.warm_throughput import check_warm_quota, new_warm
from hashrange.errors import invalid
from hashrange.limits.requests import KEY_ATTRIBUTE_NAME_CHARS_MAX
from hashrange.limits.tables import (
    GLOBAL_INDEX_PARTITION_ATTRIBUTES_MAX,
    GLOBAL_INDEXES_MAX,
    LOCAL_INDEXES_MAX,
    PROJECTED_ATTRIBUTES_MAX,
)
from hashrange.messages.tables import indexes as messages
from hashrange.messages.tables import operations as table_messages
from hashrange.model.structures.dynamodb import (
    CreateGlobalSecondaryIndexAction,
    GlobalSecondaryIndex,
    KeySchemaElement,
    LocalSecondaryIndex,
    Projection,
)
from hashrange.model.table import BillingMode, Index, KeyAttribute, ProjectionType

NewGlobalIndex: TypeAlias = GlobalSecondaryIndex | CreateGlobalSecondaryIndexAction


class Definitions(msgspec.Struct, frozen=True):
    """The attributes, key and billing mode of the table that indexes are checked against."""

    attributes: dict[str, KeyAttribute]
    keys: tuple[KeyAttribute, ...]
    billing_mode: BillingMode


def checked_indexes(
    global_indexes: Sequence[GlobalSecondaryIndex] | None,
    local_indexes: Sequence[LocalSecondaryIndex] | None,
    definitions: Definitions,
) -> tuple[Index, ...]:
    """The indexes of a new table, numbered from 1; global indexes are checked first.

    Raises ValidationException.
    """
    found: list[Index] = []
    for sent in global_indexes or ():
        check_new_units(sent, definitions.billing_mode)
        found.append(checked_global(sent, definitions, number=len(found) + 1))
        _check_name(found)
    if len(found) > GLOBAL_INDEXES_MAX:
        raise invalid(messages.too_many_global(GLOBAL_INDEXES_MAX))
    if local_indexes and len(definitions.keys) == 1:
        raise invalid(messages.local_needs_sort_key())
    for local in local_indexes or ():
        found.append(_checked_local(local, definitions, number=len(found) + 1))
        _check_name(found)
    if len(local_indexes or ()) > LOCAL_INDEXES_MAX:
        raise invalid(messages.too_many_local(LOCAL_INDEXES_MAX))
    check_projected(found)
    return tuple(found)


def checked_global(sent: NewGlobalIndex, definitions: Definitions, *, number: int) -> Index:
    """A global index with its number. Raises ValidationException."""
    name, mode = str(sent.index_name), definitions.billing_mode
    partition, sort = _global_keys(sent.key_schema or [], definitions)
    projection, non_key = checked_projection(sent.projection)
    check_units(sent.provisioned_throughput, name)
    throughput = throughput_of(sent.provisioned_throughput)
    return Index(
        name=name,
        number=number,
        partition=partition,
        sort=sort,
        projection=projection,
        non_key=non_key,
        throughput=throughput,
        on_demand=new_limits(sent.on_demand_throughput, mode, name),
        warm=new_warm(sent.warm_throughput, mode, throughput, name),
    )


def check_new_units(sent: NewGlobalIndex, mode: BillingMode) -> None:
    """Refuse units of an index of a new table that do not fit its billing mode."""
    units, name = sent.provisioned_throughput, str(sent.index_name)
    if mode == "PAY_PER_REQUEST" and units is not None:
        raise invalid(messages.throughput_on_demand(name))
    if mode == "PROVISIONED" and units is None:
        raise invalid(messages.throughput_missing(name))


def check_index_quotas(sent: NewGlobalIndex, region: str, most: int) -> None:
    """Raise LimitExceededException for throughput beyond `most`, the quota of an index."""
    name = str(sent.index_name)
    check_maximum(throughput_of(sent.provisioned_throughput), region, most, index=name)
    check_limits_quota(sent.on_demand_throughput, region, most, index=name)
    check_warm_quota(sent.warm_throughput, region, most, index=name)


def check_projected(indexes: Sequence[Index]) -> None:
    """Refuse more included attributes than all indexes of a table together may have."""
    # The vector and the filters of a vector index are counted, its HASH attribute is not.
    own = (1 + len(each.vector.filters) for each in indexes if each.vector is not None)
    if sum(len(index.non_key) for index in indexes) + sum(own) > PROJECTED_ATTRIBUTES_MAX:
        raise invalid(messages.too_many_non_key(PROJECTED_ATTRIBUTES_MAX))


def _checked_local(sent: LocalSecondaryIndex, definitions: Definitions, *, number: int) -> Index:
    name = str(sent.index_name)
    schema = sent.key_schema or []
    roles = [str(element.key_type) for element in schema]
    _check_first(roles)
    if "HASH" in roles[1:]:
        raise invalid(table_messages.second_key_is_not_range())
    keys = _attributes(schema, definitions)
    if keys[0] != definitions.keys[0]:
        raise invalid(messages.other_partition_key(name, keys[0].name, definitions.keys[0].name))
    if len(keys) == 1:
        raise invalid(messages.no_sort_key(name))
    projection, non_key = checked_projection(sent.projection)
    return Index(
        name=name,
        number=number,
        is_local=True,
        partition=keys[:1],
        sort=keys[1:],
        projection=projection,
        non_key=non_key,
    )


def _check_name(found: list[Index]) -> None:
    if any(index.name == found[-1].name for index in found[:-1]):
        raise invalid(messages.duplicate_name(found[-1].name))


def _global_keys(
    schema: list[KeySchemaElement], definitions: Definitions
) -> tuple[tuple[KeyAttribute, ...], tuple[KeyAttribute, ...]]:
    """Partition attributes, up to four, and sort attributes, up to four."""
    roles = [str(element.key_type) for element in schema]
    _check_first(roles)
    if roles != sorted(roles):  # HASH before RANGE
        raise invalid(messages.hash_after_range())
    for role in ("HASH", "RANGE"):
        if roles.count(role) > GLOBAL_INDEX_PARTITION_ATTRIBUTES_MAX:
            raise invalid(messages.too_many_key_attributes(role))
    keys = _attributes(schema, definitions)
    partitions = roles.count("HASH")
    return keys[:partitions], keys[partitions:]


def _check_first(roles: list[str]) -> None:
    if roles[0] != "HASH":
        raise invalid(table_messages.first_key_is_not_hash())


def _attributes(
    schema: list[KeySchemaElement], definitions: Definitions
) -> tuple[KeyAttribute, ...]:
    names = [str(element.attribute_name) for element in schema]
    missing = [name for name in names if name not in definitions.attributes]
    if missing:
        raise invalid(messages.keys_undefined(names, list(definitions.attributes)))
    check_names_differ(schema)
    return tuple(definitions.attributes[name] for name in names)


def check_names_differ(schema: Iterable[KeySchemaElement]) -> None:
    """Refuse an attribute that occurs twice in the key of an index."""
    names = [element.attribute_name for element in schema]
    if len(set(names)) < len(names):
        raise invalid(messages.one_name_twice_in_key())


def checked_projection(sent: Projection | None) -> tuple[ProjectionType, tuple[str, ...]]:
    """The kind of a projection and its included attributes. Raises ValidationException."""
    kind = None if sent is None else sent.projection_type
    non_key = None if sent is None else sent.non_key_attributes
    if kind is None:
        raise invalid(messages.unknown_projection())
    if kind != "INCLUDE" and non_key is not None:
        raise invalid(messages.non_key_of(kind))
    if kind == "INCLUDE" and non_key is None:
        raise invalid(messages.non_key_missing())
    for position, name in enumerate(non_key or ()):
        if not 1 <= len(name) <= KEY_ATTRIBUTE_NAME_CHARS_MAX:
            raise invalid(messages.projected_name_length(KEY_ATTRIBUTE_NAME_CHARS_MAX))
        if name in (non_key or ())[:position]:
            raise invalid(messages.non_key_twice(name))
    return cast("ProjectionType", kind), tuple(non_key or ())
