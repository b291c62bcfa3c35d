"""Rules of entities: templates, keys and types. Pure."""

from collections.abc import Iterator

from hashrange.errors import DynamoError
from hashrange.limits.requests import ITEM_BYTES_MAX, PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.model.canonical import canonical_item
from hashrange.model.data_types import DATA_TYPES
from hashrange.model.sizes import value_bytes
from hashrange.model.wording import Wording
from hashrange.tools.checking.findings import Finding
from hashrange.tools.copying.item_lines import Item
from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.items import items_of
from hashrange.tools.models.schema import Entity, Model
from hashrange.tools.models.table_parts import indexes_of, key_types, keys_of
from hashrange.tools.models.templates import names_in


def templates(model: Model) -> Iterator[Finding]:
    """Templates of attributes that the entity does not have, and keys without a template."""
    for entity in model.entities:
        place = f"entity {entity.name}"
        known = {*entity.attributes, *(name for item in entity.samples for name in item)}
        for name, template in entity.templates.items():
            for unknown in [each for each in names_in(template) if each not in known]:
                text = f"the template of {name} needs {unknown}, which is not an attribute"
                yield Finding(kind="unknown-attribute", place=place, text=text)
        table = model.table_of_entity(entity)
        if table is not None:
            yield from _keys(entity, table, known)


def _keys(entity: Entity, table: TableDefinition, known: set[str]) -> Iterator[Finding]:
    place = f"entity {entity.name}"
    for name in (each for names in keys_of(table.request) for each in names):
        template = entity.templates.get(name)
        if template is None and name not in known:
            text = f"it has neither a template nor an attribute for the key {name}"
            yield Finding(kind="missing-key", place=place, text=f"{text} of table {table.name}")
        needed = [name] if template is None else names_in(template)
        for optional in [each for each in needed if each in entity.optional]:
            text = f"the key {name} of table {table.name} needs {optional}, which is optional"
            yield Finding(kind="optional-key", place=place, text=text)


def types(model: Model) -> Iterator[Finding]:
    """Types that do not exist, and attributes of another type than the key that they are."""
    for entity in model.entities:
        place = f"entity {entity.name}"
        table = model.table_of_entity(entity)
        keys = {} if table is None else key_types(table.request)
        for name, kind in entity.attributes.items():
            if kind not in DATA_TYPES:
                text = f"{name} has the type {kind}; types are {', '.join(DATA_TYPES)}"
                yield Finding(kind="unknown-type", place=place, text=text)
            elif keys.get(name, kind) != kind:
                text = f"{name} is {kind}, but the key attribute has the type {keys[name]}"
                yield Finding(kind="key-type", place=place, text=text)
        for name, template in entity.templates.items():
            needed = names_in(template)
            is_number = template == "".join(f"{{{each}}}" for each in needed) and all(
                entity.attributes.get(each, "N") == "N" for each in needed
            )
            if keys.get(name) == "N" and not (is_number or template.isdecimal()):
                text = f"the template of {name} is text, but the key has the type N"
                yield Finding(kind="key-type", place=place, text=text)


def time_to_live(model: Model) -> Iterator[Finding]:
    """An attribute of time to live that is not a number, or that no entity has."""
    for table in model.tables:
        name = table.time_to_live
        entities = list(model.entities_of(table))
        if name is None or not entities:
            continue
        for entity in entities:
            kind = entity.attributes.get(name, "N")
            if kind != "N":
                text = f"the attribute of time to live, {name}, is {kind}: it must be a number"
                yield Finding(kind="time-to-live-type", place=f"entity {entity.name}", text=text)
        if not any(_has(entity, name) for entity in entities):
            text = f"no entity has the attribute of time to live, {name}"
            yield Finding(kind="time-to-live-unused", place=f"table {table.name}", text=text)


def _has(entity: Entity, name: str) -> bool:
    return (
        name in entity.attributes
        or name in entity.templates
        or any(name in item for item in entity.samples)
    )


def sizes(model: Model) -> Iterator[Finding]:
    """Items that are said to be larger than DynamoDB allows."""
    for entity in model.entities:
        if entity.item_bytes is not None and entity.item_bytes > ITEM_BYTES_MAX:
            text = f"its items have {entity.item_bytes} bytes; an item has at most {ITEM_BYTES_MAX}"
            yield Finding(kind="item-too-large", place=f"entity {entity.name}", text=text)


def samples(model: Model) -> Iterator[Finding]:
    """Samples that DynamoDB refuses, or of which one replaces another."""
    for table in model.tables:
        owners: dict[str, str] = {}
        keys = [name for names in keys_of(table.request) for name in names]
        for entity in model.entities_of(table):
            for number, item in enumerate(items_of(model, entity), 1):
                place = f"entity {entity.name}, sample {number}"
                found = [*_of_item(item, table, place), *_types(entity, item, place)]
                yield from found
                if found:
                    continue
                key = repr([item[name] for name in keys])
                if key in owners:
                    text = f"it has the same key as {owners[key]}"
                    yield Finding(kind="samples-collide", place=place, text=text)
                owners.setdefault(key, place)


def _types(entity: Entity, item: Item, place: str) -> Iterator[Finding]:
    """Attributes of another type than the entity declares."""
    for name, value in item.items():
        kind = next(iter(value))
        if kind not in {entity.attributes.get(name, kind), "NULL"}:
            text = f"{name} is {kind}, and the entity has it as {entity.attributes[name]}"
            yield Finding(kind="sample-type", place=place, text=text)


def _of_item(item: Item, table: TableDefinition, place: str) -> Iterator[Finding]:
    request = table.request
    types = key_types(request)
    keys = [name for names in keys_of(request) for name in names]
    for missing in [name for name in keys if name not in item]:
        text = f"the key attribute {missing} is missing"
        yield Finding(kind="sample-without-key", place=place, text=text)
    indexed = {
        name for index in indexes_of(request).values() for each in keys_of(index) for name in each
    }
    for name in [name for name in (*keys, *sorted(indexed - {*keys})) if name in item]:
        ((kind, content),) = item[name].items()
        if kind != types.get(name, kind):
            text = f"the key attribute {name} is {kind}, and the key has the type {types[name]}"
            yield Finding(kind="sample-key-type", place=place, text=text)
        elif not content and kind in {"S", "B"}:
            text = f"the key attribute {name} is empty"
            yield Finding(kind="empty-key", place=place, text=text)
    try:
        sized = canonical_item(item, Wording.CURRENT)  # type: ignore[arg-type] # checked here
    except DynamoError as error:
        yield Finding(kind="sample-refused", place=place, text=str(error.message))
        return
    if sized.bytes > ITEM_BYTES_MAX:
        text = f"it has {sized.bytes} bytes; an item has at most {ITEM_BYTES_MAX}"
        yield Finding(kind="item-too-large", place=place, text=text)
    for name, limit in zip(keys, (PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX), strict=False):
        if name in item and value_bytes(sized.item[name]) > limit:
            text = f"the key attribute {name} is longer than {limit} bytes"
            yield Finding(kind="key-too-long", place=place, text=text)
