"""The choices of flags and answers, as the definition of a table. Pure.

Only the form is checked here: what DynamoDB refuses is found by performing the definition.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from hashrange.tools.definition import ON_DEMAND, PROVISIONED, AutoScaling, TableDefinition

STREAM_DEFAULT: Final = "NEW_AND_OLD_IMAGES"
RECOVERY_DAYS_DEFAULT: Final = 35
TARGET_PERCENT_DEFAULT: Final = 70
_PROJECTIONS: Final = ("ALL", "KEYS_ONLY")
_INCLUDE: Final = "INCLUDE"
_KEY_FORM: Final = "NAME:TYPE, such as pk:S"
INDEX_FORM: Final = "NAME:KEY:TYPE[:KEY:TYPE][:ALL|:KEYS_ONLY|:INCLUDE:ATTRIBUTE,...]"
LOCAL_FORM: Final = "NAME:[KEY:TYPE:]SORT-KEY:TYPE[:ALL|:KEYS_ONLY|:INCLUDE:ATTRIBUTE,...]"
SCALING_FORM: Final = "MIN:MAX[:TARGET], such as 5:500:70"
OVERLOADED_KEYS: Final = {"partition_key": "PK:S", "sort_key": "SK:S"}
OVERLOADED_INDEXES: Final = ("GSI1:GSI1PK:S:GSI1SK:S:ALL", "GSI2:GSI2PK:S:GSI2SK:S:ALL")
PRODUCTION_SCALING: Final = AutoScaling(units_min=5, units_max=500)
PRODUCTION_EXPIRY: Final = "ttl"
ENVIRONMENT_TAG: Final = {"Key": "Environment", "Value": "prod"}


class DesignError(Exception):
    """A choice that cannot be used; the text is one line for the operator."""


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """Choices, as the flags of `hashrange design` have it; None and () are no choice.

    Attributes:
        table_name: the name of the table.
        partition_key: as `pk:S`.
        sort_key: as `sk:S`.
        billing_mode: PROVISIONED if units or scaling are chosen, else PAY_PER_REQUEST.
        read_units: of the table and of each global index; that of `auto_scaling` if None.
        write_units: likewise.
        gsi: global indexes, each in `INDEX_FORM`.
        lsi: local indexes, each in `LOCAL_FORM`.
        ttl: the attribute of expiry.
        stream: the view type.
        pitr: days of point-in-time recovery.
        table_class: STANDARD or STANDARD_INFREQUENT_ACCESS.
        deletion_protection: whether the table cannot be deleted.
        insights: whether contributor insights are on.
        alarms: whether there are alarms.
        auto_scaling: in `SCALING_FORM`.
        tags: each as `KEY=VALUE`.
        production: whether keys, indexes and settings of a table in production are chosen where
            nothing else is: `production_of`.
    """

    table_name: str | None = None
    partition_key: str | None = None
    sort_key: str | None = None
    billing_mode: str | None = None
    read_units: int | None = None
    write_units: int | None = None
    gsi: tuple[str, ...] = ()
    lsi: tuple[str, ...] = ()
    ttl: str | None = None
    stream: str | None = None
    pitr: int | None = None
    table_class: str | None = None
    deletion_protection: bool = False
    insights: bool = False
    alarms: bool = False
    auto_scaling: str | None = None
    tags: tuple[str, ...] = ()
    production: bool = False


def definition_of(choices: Choices) -> TableDefinition:
    """The definition of the table. Raises DesignError."""
    if choices.production:
        choices = _for_production(choices)
    if choices.table_name is None or choices.partition_key is None:
        missing = "--table-name" if choices.table_name is None else "--partition-key"
        raise DesignError(f"{missing} is missing")
    scaling = None if choices.auto_scaling is None else scaling_of(choices.auto_scaling)
    mode = choices.billing_mode or _mode_of(choices)
    if scaling is not None and mode == ON_DEMAND and not choices.production:
        raise DesignError(f"--auto-scaling needs --billing-mode {PROVISIONED}")
    definition = TableDefinition(
        request=_request(choices, mode, scaling if mode == PROVISIONED else None),
        time_to_live=choices.ttl,
        recovery_days=choices.pitr,
        insights=choices.insights,
        alarms=choices.alarms,
        scaling=scaling,
    )
    return production_of(definition) if choices.production else definition


def production_of(definition: TableDefinition) -> TableDefinition:
    """The table with the settings of one in production, where it has none.

    Time to live, a stream, point-in-time recovery, contributor insights, alarms, deletion
    protection, auto scaling, and a tag that names the environment.
    """
    request = {
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": STREAM_DEFAULT},
        **definition.request,
        "DeletionProtectionEnabled": True,
    }
    tags = request.get("Tags") or []
    if all(tag.get("Key") != ENVIRONMENT_TAG["Key"] for tag in tags):
        request["Tags"] = [*tags, ENVIRONMENT_TAG]
    return TableDefinition(
        request=request,
        time_to_live=definition.time_to_live or PRODUCTION_EXPIRY,
        recovery_days=definition.recovery_days or RECOVERY_DAYS_DEFAULT,
        insights=True,
        alarms=True,
        scaling=definition.scaling or PRODUCTION_SCALING,
    )


def _for_production(choices: Choices) -> Choices:
    """The choices, with overloaded keys and indexes, mode and scaling where there are none."""
    rows: dict[str, Any] = {} if choices.partition_key else dict(OVERLOADED_KEYS)
    rows |= {} if choices.gsi else {"gsi": OVERLOADED_INDEXES}
    rows |= {} if choices.billing_mode else {"billing_mode": PROVISIONED}
    given = [each for each in (choices.read_units, choices.write_units) if each is not None]
    if choices.auto_scaling is None:
        low, high = PRODUCTION_SCALING.units_min, PRODUCTION_SCALING.units_max
        if given:
            low, high = min(given), max(given) * 10
        rows["auto_scaling"] = f"{low}:{high}:{TARGET_PERCENT_DEFAULT}"
    return msgspec.structs.replace(choices, **rows)


def _request(choices: Choices, mode: str, scaling: AutoScaling | None) -> dict[str, Any]:
    """The request of CreateTable; `scaling` gives units that were not chosen."""
    assert choices.partition_key is not None, "it was asked for"
    keys = [key_of("--partition-key", choices.partition_key)]
    if choices.sort_key is not None:
        keys.append(key_of("--sort-key", choices.sort_key))
    request: dict[str, Any] = {"TableName": choices.table_name, "AttributeDefinitions": []}
    units, types = _units(choices, scaling), list(keys)
    request |= {"KeySchema": _schema(keys), "BillingMode": mode, **units}
    local = [_local_index(text, keys[0]) for text in choices.lsi]
    others = [_index("--gsi", text, INDEX_FORM) for text in choices.gsi]
    if local:
        request["LocalSecondaryIndexes"] = [index for index, _ in local]
    if others:
        request["GlobalSecondaryIndexes"] = [index | units for index, _ in others]
    for _, found in (*local, *others):
        types += found
    request["AttributeDefinitions"] = [
        {"AttributeName": name, "AttributeType": kind} for name, kind in dict.fromkeys(types)
    ]
    return request | dict(_settings(choices))


def _mode_of(choices: Choices) -> str:
    given = (choices.read_units, choices.write_units, choices.auto_scaling)
    return ON_DEMAND if given == (None, None, None) else PROVISIONED


def _units(choices: Choices, scaling: AutoScaling | None) -> dict[str, Any]:
    """The provisioned units; those that were not chosen are left out, which DynamoDB refuses."""
    least = None if scaling is None else scaling.units_min
    given = {
        "ReadCapacityUnits": least if choices.read_units is None else choices.read_units,
        "WriteCapacityUnits": least if choices.write_units is None else choices.write_units,
    }
    units = {name: value for name, value in given.items() if value is not None}
    return {"ProvisionedThroughput": units} if units else {}


def _settings(choices: Choices) -> Iterator[tuple[str, Any]]:
    if choices.stream is not None:
        enabled = {"StreamEnabled": True, "StreamViewType": choices.stream}
        yield "StreamSpecification", enabled
    if choices.table_class is not None:
        yield "TableClass", choices.table_class
    if choices.deletion_protection:
        yield "DeletionProtectionEnabled", True
    if choices.tags:
        yield "Tags", [tag_of(text) for text in choices.tags]


def key_of(flag: str, text: str) -> tuple[str, str]:
    """Name and type of a key attribute; the name may contain colons. Raises DesignError."""
    name, colon, kind = text.rpartition(":")
    if not colon or not name or not kind:
        raise DesignError(f"{flag}: {text!r} is not {_KEY_FORM}")
    return name, kind


def tag_of(text: str) -> dict[str, str]:
    """A tag of `KEY=VALUE`. Raises DesignError."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise DesignError(f"--tags: {text!r} is not KEY=VALUE")
    return {"Key": key, "Value": value}


def scaling_of(text: str) -> AutoScaling:
    """Bounds and target of `SCALING_FORM`. Raises DesignError."""
    parts = text.split(":")
    if len(parts) == 2:  # noqa: PLR2004 - the bounds
        parts.append(str(TARGET_PERCENT_DEFAULT))
    if len(parts) != 3 or not all(part.isascii() and part.isdecimal() for part in parts):  # noqa: PLR2004
        raise DesignError(f"--auto-scaling: {text!r} is not {SCALING_FORM}")
    if any(len(part) > 9 for part in parts):  # noqa: PLR2004 - more than any quota, and no int64
        raise DesignError(f"--auto-scaling: {text!r} has a number of more than nine digits")
    low, high, target = (int(part) for part in parts)
    return AutoScaling(units_min=low, units_max=high, target_percent=target)


def _schema(keys: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    kinds = ("HASH", "RANGE")
    return [
        {"AttributeName": name, "KeyType": kind}
        for (name, _), kind in zip(keys, kinds, strict=False)
    ]


def _index(flag: str, text: str, form: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """An index and its keys with their types. Raises DesignError."""
    name, *parts = text.split(":")
    projection: dict[str, Any] = {"ProjectionType": "ALL"}
    if parts and parts[-1] in _PROJECTIONS and len(parts) % 2:
        projection = {"ProjectionType": parts.pop()}
    elif len(parts) > 2 and parts[-2] == _INCLUDE and not len(parts) % 2:  # noqa: PLR2004 - a key
        included, parts = parts[-1].split(","), parts[:-2]
        projection = {"ProjectionType": _INCLUDE, "NonKeyAttributes": included}
    if not name or len(parts) not in {2, 4} or not all(parts):
        raise DesignError(f"{flag}: {text!r} is not {form}")
    keys = list(zip(parts[::2], parts[1::2], strict=True))
    return {"IndexName": name, "KeySchema": _schema(keys), "Projection": projection}, keys


def _local_index(
    text: str, partition_key: tuple[str, str]
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """A local index; without a partition key it is that of the table, as it must be."""
    index, keys = _index("--lsi", text, LOCAL_FORM)
    if len(keys) == 1:
        keys = [partition_key, *keys]
        index["KeySchema"] = _schema(keys)
    return index, keys
