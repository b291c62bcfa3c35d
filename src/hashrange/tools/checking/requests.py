"""The requests of access patterns, with values from samples. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hashrange.model.operations import OPERATION_FACTS, Items
from hashrange.tools.checking.conditions import Condition, conditions_of
from hashrange.tools.checking.sizing import SEVERAL, WRITES
from hashrange.tools.copying.item_lines import Item
from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.document import attribute_types
from hashrange.tools.models.files import json_text
from hashrange.tools.models.items import GENERATED, completed, generated, items_of
from hashrange.tools.models.samples import is_typed, typed
from hashrange.tools.models.schema import AccessPattern, Entity, Model, ModelError
from hashrange.tools.models.table_parts import key_types, keys_of
from hashrange.tools.models.templates import names_in, parts_of, rendered
from hashrange.tools.scanning.expressions import expressions, placeholder_of

_BATCH_ITEMS: Final = 2
"""Items of a batch whose number the model does not say."""
_WRITTEN: Final = GENERATED + 1
"""The number of the item that a pattern writes: no sample that was generated has it."""


class Request:
    """An expression's placeholders, and the members of a request so far.

    Args:
        table: the name of the table.
        names: ExpressionAttributeNames of the pattern.
    """

    def __init__(self, table: str, names: Mapping[str, str]) -> None:
        self.members: dict[str, Any] = {"TableName": table}
        self.names = dict(names)
        self.values: dict[str, Any] = {}

    def value(self, value: Mapping[str, Any]) -> str:
        """A placeholder for a value."""
        placeholder = f":k{len(self.values)}"
        self.values[placeholder] = value
        return placeholder

    def finished(self) -> dict[str, Any]:
        """The request with the placeholders that its expressions have."""
        if self.names:
            self.members["ExpressionAttributeNames"] = self.names
        if self.values:
            self.members["ExpressionAttributeValues"] = self.values
        return self.members


def request_of_pattern(model: Model, pattern: AccessPattern, table_name: str) -> dict[str, Any]:
    """The request of a pattern. Raises ModelError: a value is missing.

    Args:
        model: a model that the rules of names find nothing in.
        pattern: one of its patterns, without a `note`.
        table_name: the table to which the request goes.
    """
    table = model.table_of_pattern(pattern)
    assert table is not None, "the rules of names have checked it"
    if pattern.request is not None:
        found: dict[str, Any] = _translated(pattern.request, {table.name: table_name})
        return found
    entity = model.entity_named(pattern.entity)
    samples = [] if entity is None else items_of(model, entity)
    if pattern.operation in SEVERAL:
        return _batch(model, pattern, table, table_name)
    request = Request(table_name, pattern.names)
    sample = samples[0] if samples else {}
    own = key_types(table.request)
    types = own if entity is None else {**own, **attribute_types(model, entity)}
    match pattern.operation:
        case "Query":
            _add_query(request, pattern, sample, types)
        case "PutItem":
            assert entity is not None, "the rules of patterns have checked it"
            request.members["Item"] = _new_item(model, entity, samples)
        case "GetItem" | "UpdateItem" | "DeleteItem":
            request.members["Key"] = _key(pattern, table, sample, types)
        case _:
            pass
    _add_expressions(request, pattern, sample, types)
    if pattern.operation == "UpdateItem" and pattern.update is None and entity is not None:
        _add_update(request, entity, table, sample)
    return request.finished()


def _add_query(
    request: Request, pattern: AccessPattern, sample: Item, types: Mapping[str, str]
) -> None:
    texts = []
    for condition in conditions_of(pattern.key):
        name = placeholder_of(condition.name, request.names)
        values = [request.value(each) for each in _values(condition, sample, types)]
        match condition.operator:
            case "begins_with":
                texts.append(f"begins_with({name}, {values[0]})")
            case "between":
                texts.append(f"{name} BETWEEN {values[0]} AND {values[1]}")
            case operator:
                texts.append(f"{name} {operator} {values[0]}")
    request.members["KeyConditionExpression"] = " AND ".join(texts)
    if pattern.descending:
        request.members["ScanIndexForward"] = False


def _values(
    condition: Condition, sample: Item, types: Mapping[str, str]
) -> list[Mapping[str, Any]]:
    return [_filled(condition.name, value, sample, types) for value in condition.values]


def _filled(name: str, value: Any, sample: Item, types: Mapping[str, str]) -> Mapping[str, Any]:
    """A value in DynamoDB's JSON; a template has the values of a sample. Raises ModelError.

    Without a name of a key, a template of one placeholder has the type of its attribute.
    """
    if is_typed(value):
        typed_one: Mapping[str, Any] = value
        return typed_one
    if isinstance(value, str) and names_in(value):
        parts = parts_of(value)
        if not name and len(parts) == 1 and names_in(value)[0] in sample:
            return sample[names_in(value)[0]]
        text = rendered(value, sample)
        if text is None:
            raise ModelError(f"no sample has a value for {value}")
        return {types.get(name, "S"): text}
    return typed(name, value, types)


def _key(
    pattern: AccessPattern, table: TableDefinition, sample: Item, types: Mapping[str, str]
) -> dict[str, Any]:
    """The key of an item: that of the pattern, else that of a sample. Raises ModelError."""
    key = {}
    for name in (each for names in keys_of(table.request) for each in names):
        if name in pattern.key:
            key[name] = _filled(name, pattern.key[name], sample, types)
        elif name in sample:
            key[name] = sample[name]
        else:
            raise ModelError(f"no sample has the key attribute {name}")
    return key


def _new_item(model: Model, entity: Entity, samples: Sequence[Item]) -> Item:
    """An item that is no sample: the last sample with new values, as far as types say them."""
    types = attribute_types(model, entity)
    base = dict(samples[-1]) if samples else {}
    kept = {name: value for name, value in base.items() if name not in entity.templates}
    made = generated(entity, types, _WRITTEN) if entity.attributes else {}
    item = completed(entity, {**kept, **made}, types)
    return {**base, **item}


def _add_expressions(
    request: Request, pattern: AccessPattern, sample: Item, types: Mapping[str, str]
) -> None:
    is_read = pattern.operation not in WRITES
    replaced = expressions(
        {
            "filter": pattern.filter,
            "condition": pattern.condition,
            "update": pattern.update,
            "projection": ", ".join(pattern.returns) if pattern.returns and is_read else None,
        },
        json_text(request.names),
    )
    request.names |= replaced.names
    for kind, text in replaced.texts.items():
        request.members[f"{kind.capitalize()}Expression"] = text
    for placeholder, value in pattern.values.items():
        name = placeholder if placeholder.startswith(":") else f":{placeholder}"
        request.values[name] = _filled("", value, sample, types)
    if is_read and pattern.consistent:
        request.members["ConsistentRead"] = True
    if pattern.index is not None:
        request.members["IndexName"] = pattern.index
    if pattern.limit is not None:
        request.members["Limit"] = pattern.limit


def _add_update(request: Request, entity: Entity, table: TableDefinition, sample: Item) -> None:
    """An update of the first attribute that is in no key; without one the item stays as it is."""
    keys = {name for names in keys_of(table.request) for name in names}
    keys |= {name for template in entity.templates.values() for name in names_in(template)}
    for name in entity.attributes:
        if name not in keys and name in sample:
            placeholder = placeholder_of(name, request.names)
            value = request.value(sample[name])
            request.members["UpdateExpression"] = f"SET {placeholder} = {value}"
            return


def _batch(
    model: Model, pattern: AccessPattern, table: TableDefinition, table_name: str
) -> dict[str, Any]:
    """A batch or a transaction with samples of the entity. Raises ModelError."""
    entity = model.entity_named(pattern.entity)
    if entity is None:
        raise ModelError(f"{pattern.operation} needs an entity, or a request")
    samples = items_of(model, entity)
    if not samples:
        raise ModelError(f"there is no sample of {entity.name}")
    count = min(len(samples), pattern.items or _BATCH_ITEMS)
    names = [name for key in keys_of(table.request) for name in key]
    keys = [{name: sample[name] for name in names} for sample in samples[:count]]
    consistent = {"ConsistentRead": True} if pattern.consistent else {}
    facts = OPERATION_FACTS[pattern.operation]
    match facts.items, facts.is_read:
        case Items.BATCH, True:
            return {"RequestItems": {table_name: {"Keys": keys, **consistent}}}
        case Items.BATCH, False:
            puts = [{"PutRequest": {"Item": sample}} for sample in samples[:count]]
            return {"RequestItems": {table_name: puts}}
        case Items.TRANSACTION, True:
            return {
                "TransactItems": [{"Get": {"TableName": table_name, "Key": key}} for key in keys]
            }
        case _:
            return {
                "TransactItems": [
                    {"Put": {"TableName": table_name, "Item": sample}} for sample in samples[:count]
                ]
            }


def _translated(node: Any, names: Mapping[str, str]) -> Any:
    """A request with other names of tables."""
    if isinstance(node, list):
        return [_translated(each, names) for each in node]
    if not isinstance(node, dict):
        return node
    made: dict[str, Any] = {}
    for member, value in node.items():
        if member == "TableName" and isinstance(value, str):
            made[member] = names.get(value, value)
        elif member == "RequestItems" and isinstance(value, dict):
            made[member] = {names.get(name, name): each for name, each in value.items()}
        elif member in {"Item", "Key", "ExpressionAttributeValues"}:
            made[member] = value
        else:
            made[member] = _translated(value, names)
    return made
