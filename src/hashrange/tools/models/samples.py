"""Samples of items: plain values to DynamoDB's JSON and back. Pure."""

import contextlib
import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final

import msgspec

from hashrange.model.data_types import DATA_TYPES, SETS
from hashrange.tools.copying.item_lines import (
    KINDS,
    Item,
    ItemError,
    parsed_json,
    plain_json_of,
    typed_value,
)
from hashrange.tools.models.schema import ModelError

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


def typed_item(sample: Mapping[str, Any], types: Mapping[str, str]) -> Item:
    """A sample in DynamoDB's JSON. Raises ModelError.

    Args:
        sample: plain values by name, or DynamoDB's JSON.
        types: the declared types of attributes.
    """
    if sample and all(map(is_typed, sample.values())):
        return {name: _flagged(value) for name, value in sample.items()}
    return {name: typed(name, value, types) for name, value in sample.items()}


def typed(name: str, value: Any, types: Mapping[str, str]) -> dict[str, Any]:
    """A value in DynamoDB's JSON. Raises ModelError: no type has such values.

    It is of the declared type if it can be, else of the type that JSON gives it.
    """
    try:
        parsed = parsed_json(_ENCODER.encode(value))
        if types.get(name) in KINDS:
            with contextlib.suppress(ItemError):
                return typed_value(name, parsed, types)
        return typed_value(name, parsed, {})
    except (ItemError, TypeError, ValueError) as error:
        raise ModelError(str(error)) from error


def is_typed(value: Any) -> bool:  # noqa: PLR0911 - a row for each type
    """Whether a value has the form of DynamoDB's JSON, as `{"S": "text"}`."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return False
    ((kind, content),) = value.items()
    match kind:
        case "S" | "N" | "B":
            return isinstance(content, str)
        case "BOOL" | "NULL":
            return isinstance(content, bool | str)
        case "L":
            return isinstance(content, list) and all(map(is_typed, content))
        case "M":
            return isinstance(content, Mapping) and all(map(is_typed, content.values()))
        case _ if kind in SETS:
            return isinstance(content, list) and all(isinstance(each, str) for each in content)
        case _:
            return False


def _flagged(value: Mapping[str, Any]) -> dict[str, Any]:
    """A typed value whose flags are flags; some programs write `{"BOOL": "True"}`."""
    ((kind, content),) = value.items()
    match kind:
        case "BOOL" | "NULL" if isinstance(content, str):
            return {kind: content.lower() == "true"}
        case "L":
            return {kind: [_flagged(each) for each in content]}
        case "M":
            return {kind: {name: _flagged(each) for name, each in content.items()}}
        case _:
            return dict(value)


def plain_item(item: Item, types: Mapping[str, str]) -> dict[str, Any]:
    """A sample with plain values if they give the same item; else as it is."""
    try:
        plain: dict[str, Any] = {
            name: value[types[name]]
            if types.get(name) in {*SETS, "B"} and types[name] in value
            else json.loads(plain_json_of({name: value}), parse_float=Decimal)[name]
            for name, value in item.items()
        }
        if typed_item(plain, types) == item:
            return plain
    except (ItemError, ModelError, ValueError):
        pass
    return dict(item)


def types_in(items: Iterable[Item]) -> dict[str, str]:
    """The types of the attributes of items; of several types the first."""
    types: dict[str, str] = {}
    for item in items:
        for name, value in item.items():
            types.setdefault(name, next(iter(value)))
    return {name: kind for name, kind in types.items() if kind in DATA_TYPES}
