"""Rules of names: each is there once, and what is named is there. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator

from hashrange.tools.checking.findings import Finding
from hashrange.tools.models.schema import OPERATIONS, AccessPattern, Model
from hashrange.tools.models.table_parts import indexes_of


def duplicates(model: Model) -> Iterator[Finding]:
    """Names that two tables, indexes, entities or patterns have."""
    names: dict[str, Iterable[str]] = {
        "table": (table.name for table in model.tables),
        "entity": (entity.name for entity in model.entities),
        "pattern": (pattern.name for pattern in model.patterns),
    }
    for kind, found in names.items():
        for name in _repeated(found):
            yield Finding(
                kind=f"duplicate-{kind}", place=f"{kind} {name}", text="the name stands twice"
            )
    for table in model.tables:
        members = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        indexes = [each for member in members for each in table.request.get(member) or ()]
        for name in _repeated(each["IndexName"] for each in indexes):
            text = f"two indexes have the name {name}"
            yield Finding(kind="duplicate-index", place=f"table {table.name}", text=text)


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def references(model: Model) -> Iterator[Finding]:
    """Tables, entities, operations and indexes that are named but do not exist."""
    tables = " or ".join(table.name for table in model.tables[:5])
    for entity in model.entities:
        if model.table_of_entity(entity) is None:
            text = _unknown("table", entity.table, tables)
            yield Finding(kind="unknown-table", place=f"entity {entity.name}", text=text)
    for pattern in model.patterns:
        if pattern.note is None:
            yield from _of_pattern(model, pattern, tables)


def _of_pattern(model: Model, pattern: AccessPattern, tables: str) -> Iterator[Finding]:
    place = f"pattern {pattern.name}"
    if pattern.operation not in OPERATIONS:
        text = f"there is no operation {pattern.operation}; they are {', '.join(OPERATIONS)}"
        yield Finding(kind="unknown-operation", place=place, text=text)
    entity = model.entity_named(pattern.entity)
    if pattern.entity is not None and entity is None:
        text = f"there is no entity {pattern.entity}"
        yield Finding(kind="unknown-entity", place=place, text=text)
        return
    table = model.table_of_pattern(pattern)
    if table is None:
        if pattern.table is not None or entity is None:
            text = _unknown("table", pattern.table, tables)
            yield Finding(kind="unknown-table", place=place, text=text)
        return
    indexes = indexes_of(table.request)
    if pattern.index is not None and pattern.index not in indexes:
        names = ", ".join(indexes) or "none"
        text = f"table {table.name} has no index {pattern.index}; it has {names}"
        yield Finding(kind="unknown-index", place=place, text=text)


def _unknown(kind: str, name: str | None, known: str) -> str:
    if name is None:
        return f"the {kind} is not named, and there are several: {known}"
    return f"there is no {kind} {name}"
