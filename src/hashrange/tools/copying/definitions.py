"""Definitions of tables: read from one place, created and compared in another. Pure.

A definition is a dict of API members in a normal form, so that two of them can be compared. Warm
throughput is not included: it depends on the past load of a table, and requesting it costs money.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

Definition: TypeAlias = dict[str, Any]
"""Members of CreateTable by name, and `TimeToLive`: the name of its attribute, or None."""

_KEPT_BY_CREATION: Final = (
    "AttributeDefinitions",
    "KeySchema",
    "LocalSecondaryIndexes",
    "GlobalSecondaryIndexes",
    "VectorIndexes",
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "SSESpecification",
)
_UNITS: Final = ("ReadCapacityUnits", "WriteCapacityUnits")
_OWN_TAGS: Final = "aws:"
"""Tags that only the service itself may set."""
_LEFT_BEHIND: Final = {"Replicas": "its replicas"}
_OF_VECTORS: Final = (
    "IndexName",
    "VectorAttribute",
    "Dimensions",
    "DistanceFunction",
    "SearchSchema",
)
_SHOWN_CHARS_MAX: Final = 200


def definition_of(
    table: Mapping[str, Any], tags: Iterable[Mapping[str, str]], expiry: Mapping[str, Any]
) -> Definition:
    """The definition of a table.

    Args:
        table: `Table` in the response of DescribeTable.
        tags: `Tags` in the responses of ListTagsOfResource.
        expiry: `TimeToLiveDescription` in the response of DescribeTimeToLive.
    """
    mode = (table.get("BillingModeSummary") or {}).get("BillingMode") or "PROVISIONED"
    stream = table.get("StreamSpecification") or {}
    definition = {
        "KeySchema": table["KeySchema"],
        "BillingMode": mode,
        **_throughput(table, mode),
        "TableClass": (table.get("TableClassSummary") or {}).get("TableClass") or "STANDARD",
        "Tags": sorted(
            ({"Key": tag["Key"], "Value": tag["Value"]} for tag in tags if _may_be_set(tag)),
            key=lambda tag: tag["Key"],
        ),
        "StreamSpecification": stream if stream.get("StreamEnabled") else None,
        "DeletionProtectionEnabled": table.get("DeletionProtectionEnabled") is True,
        "TimeToLive": expiry.get("AttributeName") if _expires(expiry) else None,
    }
    if key := (table.get("SSEDescription") or {}).get("KMSMasterKeyArn"):
        definition["SSESpecification"] = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key}
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        indexes = [
            _index(index, mode if kind[0] == "G" else None)
            for index in table.get(kind) or ()
            if index.get("IndexStatus") != "DELETING"
        ]
        if indexes:
            definition[kind] = sorted(indexes, key=lambda index: index["IndexName"])
    vectors = [
        _vector_index(index)
        for index in table.get("VectorIndexes") or ()
        if index.get("IndexStatus") != "DELETING"
    ]
    if vectors:
        definition["VectorIndexes"] = sorted(vectors, key=lambda index: str(index["IndexName"]))
    definition["AttributeDefinitions"] = _attributes(table, definition)
    return definition


def _throughput(part: Mapping[str, Any], mode: str) -> dict[str, Any]:
    """The provisioned units, or the on-demand limits that were set, of a table or global index."""
    if mode == "PROVISIONED":
        units = part.get("ProvisionedThroughput") or {}
        return {"ProvisionedThroughput": {name: int(units.get(name, 0)) for name in _UNITS}}
    limits = part.get("OnDemandThroughput") or {}
    kept = {name: int(limit) for name, limit in sorted(limits.items()) if limit != -1}
    return {"OnDemandThroughput": kept} if kept else {}


def _projection(index: Mapping[str, Any]) -> dict[str, Any]:
    projection = dict(index["Projection"])
    names = sorted(projection.pop("NonKeyAttributes", None) or ())
    if names:
        projection["NonKeyAttributes"] = names
    return projection


def _vector_index(index: Mapping[str, Any]) -> dict[str, Any]:
    kept = {member: index[member] for member in _OF_VECTORS if index.get(member)}
    return {**kept, "Projection": _projection(index)}


def _index(index: Mapping[str, Any], mode: str | None) -> dict[str, Any]:
    own = {} if mode is None else _throughput(index, mode)
    return {
        "IndexName": index["IndexName"],
        "KeySchema": index["KeySchema"],
        "Projection": _projection(index),
        **own,
    }


def _attributes(table: Mapping[str, Any], definition: Definition) -> list[dict[str, Any]]:
    """The attributes of keys and search schemas, without indexes that are being deleted."""
    schemas = [definition["KeySchema"]]
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        schemas += [index["KeySchema"] for index in definition.get(kind, ())]
    schemas += [index.get("SearchSchema", ()) for index in definition.get("VectorIndexes", ())]
    used = {element["AttributeName"] for schema in schemas for element in schema}
    kept = [each for each in table["AttributeDefinitions"] if each["AttributeName"] in used]
    return sorted(kept, key=lambda each: str(each["AttributeName"]))


def _may_be_set(tag: Mapping[str, str]) -> bool:
    return not tag["Key"].startswith(_OWN_TAGS)


def _expires(expiry: Mapping[str, Any]) -> bool:
    return expiry.get("TimeToLiveStatus") in {"ENABLED", "ENABLING"}


def without_encryption(definition: Definition) -> Definition:
    """The definition for a copy to or from another server: KMS keys belong to an AWS account."""
    return {member: value for member, value in definition.items() if member != "SSESpecification"}


def not_copied(table: Mapping[str, Any], *, keeps_encryption: bool = False) -> list[str]:
    """The features of a described table that cannot be copied, as texts for the operator."""
    if table.get("SSEDescription") and not keeps_encryption:
        return ["its encryption", *not_copied(table, keeps_encryption=True)]
    return [words for member, words in _LEFT_BEHIND.items() if table.get(member)]


def creation(name: str, definition: Definition) -> dict[str, Any]:
    """The request of CreateTable, without the settings of `steps_left`."""
    request = {"TableName": name}
    request |= {member: definition[member] for member in _KEPT_BY_CREATION if member in definition}
    if definition["TableClass"] != "STANDARD":
        request["TableClass"] = definition["TableClass"]
    if definition["Tags"]:
        request["Tags"] = definition["Tags"]
    return request


def has_same_keys(one: Definition, other: Definition) -> bool:
    """Whether two definitions have the same keys, indexes and projections."""

    def keys(definition: Definition) -> list[Any]:
        kinds = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
        indexes = [index for kind in kinds for index in definition.get(kind, ())]
        shown = [(each["IndexName"], each["KeySchema"], each["Projection"]) for each in indexes]
        vectors = definition.get("VectorIndexes", [])
        return [definition["KeySchema"], definition["AttributeDefinitions"], shown, vectors]

    return keys(one) == keys(other)


Step: TypeAlias = tuple[str, dict[str, Any]]
"""An operation and its request."""


def steps_left(name: str, wanted: Definition, actual: Definition) -> list[Step]:
    """The requests that remain after the items have been copied, in order.

    The stream is enabled before time to live, so that it has the records of expired items; deletion
    protection comes last, so that the table of a failed copy can be deleted.
    """
    steps: list[Step] = []
    stream, expiry = wanted["StreamSpecification"], wanted["TimeToLive"]
    if stream and not actual["StreamSpecification"]:
        steps.append(("UpdateTable", {"TableName": name, "StreamSpecification": stream}))
    if expiry and not actual["TimeToLive"]:
        enabled = {"Enabled": True, "AttributeName": expiry}
        request = {"TableName": name, "TimeToLiveSpecification": enabled}
        steps.append(("UpdateTimeToLive", request))
    if wanted["DeletionProtectionEnabled"] and not actual["DeletionProtectionEnabled"]:
        steps.append(("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": True}))
    return steps


def differences(wanted: Definition, actual: Definition) -> list[str]:
    """The members that differ, one text each."""
    return [
        f"{member} is {_shown(actual.get(member))} and not {_shown(wanted.get(member))}"
        for member in sorted(wanted.keys() | actual.keys())
        if wanted.get(member) != actual.get(member)
    ]


def _shown(value: object) -> str:
    if value is None:
        return "not there"
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= _SHOWN_CHARS_MAX else f"{text[:_SHOWN_CHARS_MAX]}…"
