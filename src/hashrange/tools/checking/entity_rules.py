"""Rules of entities: templates, keys and types. Pure."""

from collections.abc import Iterator

from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.model.data_types import DATA_TYPES
from hashrange.tools.checking.findings import Finding
from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.schema import Entity, Model
from hashrange.tools.models.table_parts import key_types, keys_of
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
