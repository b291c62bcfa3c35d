"""Vector indexes: checks of their definitions, their creation and deletion, and descriptions.

The order of checks of one definition is not known; it is that of the catalogue of messages.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

import msgspec

from hashrange.api.dynamodb.indexes.definitions import check_projected, checked_projection
from hashrange.api.dynamodb.indexes.descriptions import (
    IndexesShown,
    backfilling,
    described_projection,
)
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import (
    INLINE_FILTERS_MAX,
    VECTOR_DIMENSIONS_MAX,
    VECTOR_INDEXES_MAX,
)
from hashrange.messages import vectors as messages
from hashrange.messages.tables import indexes as index_messages
from hashrange.model.structures.dynamodb import (
    CreateVectorIndexAction,
    SearchSchemaElement,
    VectorAttributeDefinition,
    VectorIndex,
    VectorIndexDescription,
    VectorIndexInfo,
    VectorIndexUpdate,
)
from hashrange.model.table import DistanceFunction, Index, KeyAttribute, Table, Vector
from hashrange.tables.catalog.lifecycle import index_status_of
from hashrange.tables.opened.reader import TableSize
from hashrange.wire.arns import index_arn

NewVectorIndex: TypeAlias = VectorIndex | CreateVectorIndexAction

_EMPTY = TableSize(0, 0)


class VectorTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The table that definitions of vector indexes are checked against.

    Attributes:
        on_demand: the table has no provisioned units.
        declared: the AttributeDefinitions of the request, by name.
        others: the other indexes of the table.
        keys: the key attributes of the table.
    """

    on_demand: bool
    declared: Mapping[str, KeyAttribute]
    others: Sequence[Index]
    keys: Sequence[KeyAttribute]


def schema_names(sent: Sequence[VectorIndex] | None) -> list[str]:
    """The attributes of the search schemas of new indexes."""
    return [str(each.attribute_name) for index in sent or () for each in index.search_schema or ()]


def checked_vectors(sent: Sequence[VectorIndex] | None, terms: VectorTerms) -> tuple[Index, ...]:
    """The vector indexes of a new table, numbered after its others.

    Raises ValidationException.
    """
    if not sent:
        return ()
    if not terms.on_demand:
        raise invalid(messages.only_on_demand())
    if len(sent) > VECTOR_INDEXES_MAX:
        raise invalid(messages.too_many(VECTOR_INDEXES_MAX))
    found: list[Index] = []
    for each in sent:
        others = (*terms.others, *found)
        against = msgspec.structs.replace(terms, others=others)
        found.append(_checked_vector(each, against, number=len(others) + 1))
        if any(other.name == found[-1].name for other in others):
            raise invalid(index_messages.duplicate_name(found[-1].name))
    check_projected((*terms.others, *found))
    return tuple(found)


def _checked_vector(sent: NewVectorIndex, terms: VectorTerms, *, number: int) -> Index:
    """A vector index with its number. Raises ValidationException."""
    assert sent.vector_attribute is not None, "required"
    assert sent.dimensions is not None, "required"
    name, dimensions = str(sent.vector_attribute.attribute_name), sent.dimensions
    if dimensions > VECTOR_DIMENSIONS_MAX:
        raise invalid(messages.dimensions_outside(VECTOR_DIMENSIONS_MAX))
    schema = sent.search_schema or []
    if any(each.attribute_name not in terms.declared for each in schema):
        raise invalid(messages.schema_undefined())
    for other in terms.others:
        vector = other.vector
        if vector is not None and vector.attribute == name and vector.dimensions != dimensions:
            raise invalid(messages.other_dimensions(name))
    if name in terms.declared:
        raise invalid(messages.vector_defined(name))
    _check_no_key(name, dimensions, terms)
    projection, non_key = checked_projection(sent.projection)
    names = [str(each.attribute_name) for each in schema]
    for position, each in enumerate(names):
        if each in names[:position]:
            raise invalid(messages.schema_twice(each))
    roles = [str(each.search_schema_element_type) for each in schema]
    if roles.count("HASH") > 1:
        raise invalid(messages.too_many_hash())
    if roles.count("INLINE_FILTER") > INLINE_FILTERS_MAX:
        raise invalid(messages.too_many_filters(INLINE_FILTERS_MAX))
    typed = [terms.declared[each] for each in names]
    return Index(
        name=str(sent.index_name),
        number=number,
        partition=tuple(each for each, role in zip(typed, roles, strict=True) if role == "HASH"),
        projection=projection,
        non_key=non_key,
        vector=Vector(
            attribute=name,
            dimensions=dimensions,
            distance=cast("DistanceFunction", sent.distance_function),
            filters=tuple(each for each, role in zip(typed, roles, strict=True) if role != "HASH"),
            hash_place=roles.index("HASH") if "HASH" in roles else 0,
        ),
    )


def _check_no_key(name: str, dimensions: int, terms: VectorTerms) -> None:
    """Refuse a vector attribute that is a key attribute of the table or of another index."""
    for keys in (terms.keys, *(each.key_attributes for each in terms.others)):
        if any(key.name == name for key in keys):
            roles = ["HASH", *["RANGE"] * (len(keys) - 1)]
            schema = (
                f"{key.name}:{key.type}:{role}" for key, role in zip(keys, roles, strict=True)
            )
            raise invalid(messages.key_redefined(", ".join(schema), name, dimensions))


def check_vector_updates(updates: Sequence[VectorIndexUpdate]) -> None:
    """Refuse updates that are invalid for every table. Raises ValidationException."""
    if not updates:
        raise invalid(messages.no_updates())
    for update in updates:
        if update.create is None and update.delete is None:
            raise invalid(messages.no_update_kind())
        if update.create is not None and update.delete is not None:
            raise invalid(messages.two_kinds())


def name_of(update: VectorIndexUpdate) -> str:
    """The name of the index that an update creates or deletes."""
    action = update.create or update.delete
    assert action is not None, "checked without the table"
    return str(action.index_name)


def created_vector(
    table: Table, sent: CreateVectorIndexAction, declared: Mapping[str, KeyAttribute]
) -> Index:
    """The index that UpdateTable creates. Raises ValidationException, LimitExceededException."""
    if table.billing_mode != "PAY_PER_REQUEST":
        raise invalid(messages.only_on_demand())
    terms = VectorTerms(
        on_demand=True, declared=declared, others=table.all_indexes, keys=table.key_attributes
    )
    index = _checked_vector(sent, terms, number=table.next_index)
    _check_types(table, index)
    if any(each.name == index.name for each in table.all_indexes):
        raise invalid(index_messages.index_exists())
    if len(table.vectors) >= VECTOR_INDEXES_MAX:
        raise DynamoError(Fault.LIMIT_EXCEEDED, messages.limit_exceeded(VECTOR_INDEXES_MAX))
    check_projected((*table.all_indexes, index))
    return index


def _check_types(table: Table, index: Index) -> None:
    """Refuse an attribute of the search schema that has another type in the table."""
    known = {each.name: each for each in table.attributes}
    new = [(each.name, each.type, "HASH") for each in schema_attributes(index)]
    for name, kind, _ in new:
        existing = known.get(name)
        if existing is not None and existing.type != kind:
            schema = [(existing.name, existing.type, "HASH")]
            raise invalid(index_messages.attributes_redefined(schema, new))


def schema_attributes(index: Index) -> tuple[KeyAttribute, ...]:
    """The attributes of the search schema of a vector index; those of the key of any other."""
    filters = () if index.vector is None else index.vector.filters
    return index.key_attributes + filters


def describe_vector_indexes(
    table: Table, shown: IndexesShown
) -> list[VectorIndexDescription] | None:
    """The vector indexes, None if there are none."""
    return [_described(table, index, shown) for index in table.vectors] or None


def _described(table: Table, index: Index, shown: IndexesShown) -> VectorIndexDescription:
    size = shown.sizes.get(index.number, _EMPTY)
    return VectorIndexDescription(
        **msgspec.structs.asdict(described_info(index)),
        index_status=shown.status or index_status_of(index, shown.now_ms, shown.transient_ms),
        backfilling=backfilling(index, shown),
        index_size_bytes=size.size,
        item_count=size.items,
        index_arn=index_arn(table.arn, index.name),
    )


def described_info(index: Index) -> VectorIndexInfo:
    """A vector index in the description of a backup."""
    vector = index.vector
    assert vector is not None, "a vector index"
    return VectorIndexInfo(
        index_name=index.name,
        search_schema=_search_schema(index),
        projection=described_projection(index),
        vector_attribute=VectorAttributeDefinition(attribute_name=vector.attribute),
        dimensions=vector.dimensions,
        distance_function=vector.distance,
    )


def _search_schema(index: Index) -> list[SearchSchemaElement] | None:
    assert index.vector is not None, "a vector index"
    found = [
        SearchSchemaElement(attribute_name=each.name, search_schema_element_type="INLINE_FILTER")
        for each in index.vector.filters
    ]
    for each in index.partition:
        element = SearchSchemaElement(attribute_name=each.name, search_schema_element_type="HASH")
        found.insert(index.vector.hash_place, element)
    return found or None
