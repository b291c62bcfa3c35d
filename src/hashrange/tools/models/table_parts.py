"""The tables of a model file, to and from definitions. Pure."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta

from hashrange.limits.backups import RECOVERY_DAYS_MAX
from hashrange.model.data_types import KEY_TYPES
from hashrange.tools.definition import AutoScaling, TableDefinition
from hashrange.tools.models.schema import ModelError, Part

_KINDS: Final = {"global": "GlobalSecondaryIndexes", "local": "LocalSecondaryIndexes"}
_OWN: Final = {
    *("TableName", "KeySchema", "AttributeDefinitions", "BillingMode", "ProvisionedThroughput"),
    *("StreamSpecification", "TableClass", "DeletionProtectionEnabled", "Tags", *_KINDS.values()),
}
"""Members of CreateTable that have members of their own in a file."""

Units: TypeAlias = Annotated[int, Meta(ge=1)]
Key: TypeAlias = str | tuple[str, ...]


class ScalingPart(Part, frozen=True, kw_only=True):
    """Auto scaling of the table and its indexes.

    Attributes:
        min: the smallest number of units.
        max: the largest number of units.
        target: consumed units as a percentage of the provisioned ones.
    """

    min: Units
    max: Units
    target: Annotated[int, Meta(ge=20, le=90)] = 70


class IndexPart(Part, frozen=True, kw_only=True):
    """A secondary index.

    Attributes:
        name: the name of the index.
        kind: `global` or `local`.
        partition_key: an attribute with its type, as `email:S`; several for a key of several
            attributes. A local index has that of the table.
        sort_key: an attribute with its type; several for a key of several attributes.
        projection: `ALL`, `KEYS_ONLY`, or the names of the further attributes.
        read_units: provisioned read units.
        write_units: provisioned write units.
    """

    name: str
    kind: Literal["global", "local"] = "global"
    partition_key: Key = ()
    sort_key: Key = ()
    projection: Literal["ALL", "KEYS_ONLY"] | tuple[str, ...] = "ALL"
    read_units: Units | None = None
    write_units: Units | None = None


class TablePart(Part, frozen=True, kw_only=True):
    """A table.

    Attributes:
        name: the name of the table.
        partition_key: an attribute with its type, as `pk:S`; without a type it is S.
        sort_key: an attribute with its type.
        indexes: the secondary indexes.
        billing_mode: `PAY_PER_REQUEST` or `PROVISIONED`.
        read_units: provisioned read units.
        write_units: provisioned write units.
        scaling: auto scaling of a provisioned table.
        time_to_live: the attribute with the second of expiry.
        stream: the view type of the stream, such as `NEW_AND_OLD_IMAGES`.
        recovery_days: days of point-in-time recovery.
        insights: whether contributor insights are on.
        alarms: whether alarms belong to the table.
        table_class: `STANDARD` or `STANDARD_INFREQUENT_ACCESS`.
        deletion_protection: whether the table is protected from deletion.
        tags: tags by key.
        request: further members of CreateTable.
    """

    name: str
    partition_key: str
    sort_key: str | None = None
    indexes: tuple[IndexPart, ...] = ()
    billing_mode: Literal["PAY_PER_REQUEST", "PROVISIONED"] = "PAY_PER_REQUEST"
    read_units: Units | None = None
    write_units: Units | None = None
    scaling: ScalingPart | None = None
    time_to_live: str | None = None
    stream: Literal["NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY"] | None = None
    recovery_days: Annotated[int, Meta(ge=1, le=RECOVERY_DAYS_MAX)] | None = None
    insights: bool = False
    alarms: bool = False
    table_class: Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"] = "STANDARD"
    deletion_protection: bool = False
    tags: dict[str, str] = {}  # noqa: RUF012 - msgspec copies it
    request: dict[str, Any] = {}  # noqa: RUF012 - msgspec copies it


def definition_of(part: TablePart) -> TableDefinition:
    """The definition of a table of a file. Raises ModelError."""
    types: dict[str, str] = {}
    partition = _typed_names(part.partition_key, types)
    request: dict[str, Any] = {
        **{name: value for name, value in part.request.items() if name not in _OWN},
        "TableName": part.name,
        "KeySchema": key_schema(partition, _typed_names(part.sort_key or (), types)),
        "AttributeDefinitions": [],
        "BillingMode": part.billing_mode,
        **_throughput(part, part),
    }
    for index in part.indexes:
        own = _typed_names(index.partition_key, types)
        if index.kind == "local" and own not in ([], partition):
            raise ModelError(f"index {index.name}: a local index has the table's partition key")
        if index.kind == "global" and not own:
            raise ModelError(f"index {index.name}: a global index needs a partition_key")
        request.setdefault(_KINDS[index.kind], []).append(
            {
                "IndexName": index.name,
                "KeySchema": key_schema(own or partition, _typed_names(index.sort_key, types)),
                "Projection": projection_of(index.projection),
                **(_throughput(part, index) if index.kind == "global" else {}),
            }
        )
    request["AttributeDefinitions"] = attribute_definitions(types)
    if part.stream:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": part.stream}
    if part.table_class != "STANDARD":
        request["TableClass"] = part.table_class
    if part.deletion_protection:
        request["DeletionProtectionEnabled"] = True
    if part.tags:
        request["Tags"] = [{"Key": key, "Value": value} for key, value in part.tags.items()]
    scaling = part.scaling
    return TableDefinition(
        request=request,
        time_to_live=part.time_to_live,
        recovery_days=part.recovery_days,
        insights=part.insights,
        alarms=part.alarms,
        scaling=None
        if scaling is None
        else AutoScaling(
            units_min=scaling.min, units_max=scaling.max, target_percent=scaling.target
        ),
    )


def key_schema(partition: Iterable[str], sort: Iterable[str]) -> list[dict[str, str]]:
    """`KeySchema` with these attributes."""
    return [
        *({"AttributeName": name, "KeyType": "HASH"} for name in partition),
        *({"AttributeName": name, "KeyType": "RANGE"} for name in sort),
    ]


def attribute_definitions(types: Mapping[str, str]) -> list[dict[str, str]]:
    """`AttributeDefinitions` with these types."""
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


def projection_of(projection: str | Iterable[str]) -> dict[str, Any]:
    """`Projection` of ALL, KEYS_ONLY, or the names of attributes."""
    if isinstance(projection, str):
        return {"ProjectionType": projection}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(projection)}


def _typed_names(key: Key, types: dict[str, str]) -> list[str]:
    """The names of `name:type`; their types are added to `types`. Raises ModelError."""
    names: list[str] = []
    for text in (key,) if isinstance(key, str) else key:
        name, colon, kind = text.rpartition(":")
        if not colon or kind not in KEY_TYPES:
            name, kind, colon = text, types.get(text, "S"), ""
        if not name:
            raise ModelError(f"{text!r} is not an attribute with its type, as pk:S")
        if colon and types.get(name, kind) != kind:
            raise ModelError(f"the key attribute {name} has the types {types[name]} and {kind}")
        types.setdefault(name, kind)
        names.append(name)
    return names


def _throughput(table: TablePart, part: TablePart | IndexPart) -> dict[str, Any]:
    if table.billing_mode != "PROVISIONED":
        if part.read_units or part.write_units:
            raise ModelError(f"{part.name}: read_units and write_units need PROVISIONED")
        return {}
    read, write = part.read_units, part.write_units
    least = table.scaling.min if table.scaling else 5
    units = {
        "ReadCapacityUnits": read or table.read_units or least,
        "WriteCapacityUnits": write or table.write_units or least,
    }
    return {"ProvisionedThroughput": units}


def part_of(table: TableDefinition) -> TablePart:
    """The part of a file that gives the definition."""
    request = table.request
    types = key_types(request)
    partition, sort = keys_of(request)
    stream = request.get("StreamSpecification") or {}
    scaling = table.scaling
    return TablePart(
        name=table.name,
        partition_key=_shown(partition, types)[0],
        sort_key=next(iter(_shown(sort, types)), None),
        indexes=tuple(
            _index_part(index, kind, types)
            for kind, member in _KINDS.items()
            for index in request.get(member) or ()
        ),
        billing_mode=request.get("BillingMode") or "PROVISIONED",
        **_units(request),
        scaling=None
        if scaling is None
        else ScalingPart(
            min=scaling.units_min, max=scaling.units_max, target=scaling.target_percent
        ),
        time_to_live=table.time_to_live,
        stream=stream.get("StreamViewType") if stream.get("StreamEnabled") else None,
        recovery_days=table.recovery_days,
        insights=table.insights,
        alarms=table.alarms,
        table_class=request.get("TableClass") or "STANDARD",
        deletion_protection=bool(request.get("DeletionProtectionEnabled")),
        tags={tag["Key"]: tag["Value"] for tag in request.get("Tags") or ()},
        request={name: value for name, value in request.items() if name not in _OWN},
    )


def _index_part(index: Mapping[str, Any], kind: str, types: Mapping[str, str]) -> IndexPart:
    partition, sort = keys_of(index)
    projection = index["Projection"]
    shown = _shown(partition, types)
    return IndexPart(
        name=index["IndexName"],
        kind="local" if kind == "local" else "global",
        partition_key=() if kind == "local" else _alone(shown),
        sort_key=_alone(_shown(sort, types)),
        projection=tuple(projection.get("NonKeyAttributes") or ())
        if projection["ProjectionType"] == "INCLUDE"
        else projection["ProjectionType"],
        **_units(index),
    )


def _alone(names: list[str]) -> Key:
    return names[0] if len(names) == 1 else tuple(names)


def _units(part: Mapping[str, Any]) -> dict[str, Any]:
    units = part.get("ProvisionedThroughput") or {}
    return {
        "read_units": units.get("ReadCapacityUnits"),
        "write_units": units.get("WriteCapacityUnits"),
    }


def _shown(names: Iterable[str], types: Mapping[str, str]) -> list[str]:
    return [f"{name}:{types.get(name, 'S')}" for name in names]


def key_types(request: Mapping[str, Any]) -> dict[str, str]:
    """The types of the key attributes of a table and its indexes, by name."""
    return {
        each["AttributeName"]: each["AttributeType"]
        for each in request.get("AttributeDefinitions") or ()
    }


def keys_of(part: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The partition and sort key attributes of a table's request or an index."""
    elements = part["KeySchema"]
    return (
        [each["AttributeName"] for each in elements if each["KeyType"] == "HASH"],
        [each["AttributeName"] for each in elements if each["KeyType"] == "RANGE"],
    )


def indexes_of(request: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The secondary indexes of a table's request, by name."""
    return {
        index["IndexName"]: index
        for member in _KINDS.values()
        for index in request.get(member) or ()
    }
