"""A model as a page in Markdown, with charts in Mermaid. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from hashrange.tools.definition import TableDefinition
from hashrange.tools.models.collections import collections_of
from hashrange.tools.models.files import json_text
from hashrange.tools.models.schema import AccessPattern, Entity, Model
from hashrange.tools.models.table_parts import indexes_of, key_types, keys_of

_NOT_WORD: Final = re.compile(r"\W")


def entity_chart(model: Model) -> str:
    """The entities with their attributes, and lines from the parent of a collection to the rest."""
    return "\n".join(["erDiagram", *_entities(model), *_diagram_lines(model)])


def _entities(model: Model) -> Iterator[str]:
    for entity in model.entities:
        yield f"    {_word(entity.name)} {{"
        for name in entity.templates:
            yield f"        key {_word(name)}"
        for name, kind in entity.attributes.items():
            if name not in entity.templates:
                yield f"        {_word(kind)} {_word(name)}"
        yield "    }"


def _diagram_lines(model: Model) -> Iterator[str]:
    for collection in collections_of(model):
        parent = collection.parent()
        if collection.index is not None or parent is None:
            continue
        for entity, _sort in collection.members:
            if entity is not parent:
                yield f"    {_word(parent.name)} ||--o{{ {_word(entity.name)} : has"


def collection_chart(model: Model) -> str:
    """A box for each partition key of a table or an index, with the entities in it."""
    lines = ["flowchart TB"]
    for number, collection in enumerate(collections_of(model)):
        place = collection.table if collection.index is None else collection.index
        lines.append(f'    subgraph c{number}["{_text(f"{place}: {collection.partition}")}"]')
        lines.append("        direction TB")
        for at, (entity, sort) in enumerate(collection.members):
            shown = f"{_text(entity.name)}<br/>{_text(sort)}" if sort else _text(entity.name)
            lines.append(f'        c{number}e{at}["{shown}"]')
        lines.append("    end")
    return "\n".join(lines)


def _word(text: str) -> str:
    return _NOT_WORD.sub("_", text) or "_"


def _text(text: str) -> str:
    escaped = text.replace("#", "#35;").replace('"', "#quot;")
    return escaped.replace("<", "#lt;").replace(">", "#gt;").replace("\n", " ")


def markdown_of(model: Model) -> str:
    """The page of a model."""
    return "\n".join(_lines(model)).rstrip() + "\n"


def _lines(model: Model) -> Iterator[str]:
    yield f"# {_cell(model.name)}"
    if model.description:
        yield from ("", model.description)
    for table in model.tables:
        yield from ("", f"## Table {_cell(table.name)}", "", *_keys(table), "", _settings(table))
    if model.entities:
        yield from ("", "## Entities", "", "```mermaid", entity_chart(model), "```")
        yield from ("", "## Item collections", "", "```mermaid", collection_chart(model), "```")
        for entity in model.entities:
            yield from _entity(entity)
    if model.patterns:
        yield from ("", "## Access patterns", "", *_patterns(model.patterns))


def _keys(table: TableDefinition) -> Iterator[str]:
    types = key_types(table.request)
    rows = [_key_row("table", table.request, types)]
    rows += [_key_row(name, index, types) for name, index in indexes_of(table.request).items()]
    return _table(("", "Partition key", "Sort key", "Projection"), rows)


def _key_row(name: str, part: Mapping[str, Any], types: Mapping[str, str]) -> list[str]:
    partition, sort = (
        ", ".join(f"{each} ({types.get(each, '?')})" for each in names) for names in keys_of(part)
    )
    projection = part.get("Projection") or {}
    shown = ", ".join(projection.get("NonKeyAttributes") or ()) or projection.get("ProjectionType")
    return [name, partition, sort, shown or ""]


def _settings(table: TableDefinition) -> str:
    request = table.request
    facts = {
        f"billing mode {request.get('BillingMode') or 'PROVISIONED'}": True,
        f"time to live in {table.time_to_live}": table.time_to_live,
        f"point-in-time recovery of {table.recovery_days} days": table.recovery_days,
        "a stream": (request.get("StreamSpecification") or {}).get("StreamEnabled"),
        "deletion protection": request.get("DeletionProtectionEnabled"),
        "contributor insights": table.insights,
        "alarms": table.alarms,
    }
    text = ", ".join(fact for fact, is_true in facts.items() if is_true)
    return f"{text[0].upper()}{text[1:]}."


def _entity(entity: Entity) -> Iterator[str]:
    yield from ("", f"### {_cell(entity.name)}", "")
    if entity.description:
        yield from (entity.description, "")
    rows = [[name, "", f"`{template}`"] for name, template in entity.templates.items()]
    rows += [
        [name, kind, "optional" if name in entity.optional else ""]
        for name, kind in entity.attributes.items()
    ]
    yield from _table(("Attribute", "Type", "Value"), rows)


def _patterns(patterns: Iterable[AccessPattern]) -> Iterator[str]:
    rows = [
        [
            pattern.name,
            pattern.description or pattern.note or "",
            pattern.operation,
            pattern.index or pattern.table or pattern.entity or "",
            _conditions(pattern),
            f"{pattern.rate:g}" if pattern.rate else "",
        ]
        for pattern in patterns
    ]
    columns = ("Pattern", "Description", "Operation", "Read or written", "Key", "Rate a second")
    return _table(columns, rows)


def _conditions(pattern: AccessPattern) -> str:
    texts = []
    for name, wanted in pattern.key.items():
        operator, value = next(iter(wanted.items())) if isinstance(wanted, dict) else ("=", wanted)
        shown = value if isinstance(value, str) else json_text(value, indent=-1)
        texts.append(f"`{name} {operator} {shown}`")
    if pattern.filter:
        texts.append(f"filter `{pattern.filter}`")
    return ", ".join(texts)


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    columns = list(columns)
    yield _row(columns)
    yield _row(["---"] * len(columns))
    yield from map(_row, rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
