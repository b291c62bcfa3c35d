"""Rules of samples: keys, types and sizes as DynamoDB wants them. Pure."""

from collections.abc import Iterator

from hashrange.errors import DynamoError
from hashrange.limits.requests import ITEM_BYTES_MAX, PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX
from hashrange.model.canonical import canonical_item
from hashrange.model.sizes import value_bytes
from hashrange.model.wording import Wording
from hashrange.tools.checking.findings import Finding
from hashrange.tools.copying.item_lines import Item
from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.items import items_of
from hashrange.tools.models.schema import Entity, Model
from hashrange.tools.models.table_parts import indexes_of, key_types, keys_of


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
