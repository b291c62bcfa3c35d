"""Items of entities: samples with their templates filled in, and items made up of types. Pure."""

import base64
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

from hashrange.model.data_types import of_sets
from hashrange.tools.copying.item_lines import Item
from hashrange.tools.models.document import attribute_types
from hashrange.tools.models.schema import Entity, Model
from hashrange.tools.models.table_parts import key_types
from hashrange.tools.models.templates import names_in, rendered

GENERATED: Final = 3
"""Items that are made up for an entity without samples."""
_TIME: Final = datetime(2026, 1, 1, tzinfo=UTC)
_TIMES: Final = ("at", "date", "time", "timestamp", "on", "day")
"""Ends of names of attributes whose texts are times."""


def completed(entity: Entity, item: Item, types: Mapping[str, str]) -> Item:
    """A sample with the values of the templates of its entity, where it has none of its own.

    Args:
        entity: the entity.
        item: a sample.
        types: the types of key attributes; others are texts.
    """
    made = dict(item)
    for name, template in entity.templates.items():
        if name not in made:
            text = rendered(template, item)
            if text is not None:
                made[name] = {types.get(name, "S"): text}
    return made


def items_of(model: Model, entity: Entity) -> list[Item]:
    """The samples of an entity, or generated ones, with the values of templates."""
    table = model.table_of_entity(entity)
    types = {} if table is None else key_types(table.request)
    samples = entity.samples or [
        generated(entity, attribute_types(model, entity), number)
        for number in range(1, GENERATED + 1)
    ]
    return [completed(entity, sample, {**types, **entity.attributes}) for sample in samples]


def generated(entity: Entity, types: Mapping[str, str], number: int) -> Item:
    """An item with a value of the declared type for each attribute; the same for each number.

    The first attribute that each partition key needs is equal in all items, so that a Query finds
    several.
    """
    names = {*entity.attributes}
    for template in entity.templates.values():
        names |= {name for name in names_in(template) if name in entity.attributes}
    templated = {name for name in entity.templates if name not in entity.attributes}
    shared = _shared(entity)
    return {
        name: _value(name, entity.attributes.get(name, types.get(name, "S")), number, shared)
        for name in sorted(names - templated, key=list(entity.attributes).index)
    }


def _shared(entity: Entity) -> set[str]:
    """The attributes of the first template that no other template of a sort key needs."""
    templates = list(entity.templates.values())
    if len(templates) < 2:  # noqa: PLR2004 - a partition and a sort key
        return set()
    first, others = set(names_in(templates[0])), set(names_in(templates[1]))
    return first - others if others else set()


def _value(name: str, kind: str, number: int, shared: set[str]) -> dict[str, Any]:
    make = _VALUES.get(kind, _text)
    return {kind if kind in _VALUES else "S": make(name, 1 if name in shared else number)}


def _text(name: str, number: int) -> str:
    words = name.replace("_", " ").lower()
    if words.endswith(_TIMES):
        return (_TIME + timedelta(days=number)).strftime("%Y-%m-%dT%H:%M:%SZ")
    if "email" in words:
        return f"person{number}@example.com"
    return f"{name}-{number:04}"


def _binary(name: str, number: int) -> str:
    return base64.b64encode(_text(name, number).encode()).decode()


_Maker: TypeAlias = Callable[[str, int], Any]
_SCALARS: Final[Mapping[str, _Maker]] = {
    "S": _text,
    "N": lambda _name, number: str(number),
    "B": _binary,
}


def _set(_: str, member: _Maker) -> _Maker:
    return lambda name, number: [member(name, number)]


_VALUES: Final[Mapping[str, _Maker]] = {
    **_SCALARS,
    **of_sets(_SCALARS, _set),
    "BOOL": lambda _name, number: number % 2 == 1,
    "NULL": lambda _name, _number: True,
    "L": lambda name, number: [{"S": _text(name, number)}],
    "M": lambda name, number: {"value": {"S": _text(name, number)}},
}
"""Makers of a value of each type, from the name of the attribute and the number of the item."""
