"""Charts of a model in Mermaid's language: entities, and item collections. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from hashrange.tools.models.collections import collections_of
from hashrange.tools.models.schema import Model

_NOT_WORD: Final = re.compile(r"\W")


def entity_chart(model: Model) -> str:
    """The entities with their attributes, and lines from the parent of a collection to the rest."""
    return "\n".join(["erDiagram", *_entities(model), *_lines(model)])


def _entities(model: Model) -> Iterator[str]:
    for entity in model.entities:
        yield f"    {_word(entity.name)} {{"
        for name in entity.templates:
            yield f"        key {_word(name)}"
        for name, kind in entity.attributes.items():
            if name not in entity.templates:
                yield f"        {_word(kind)} {_word(name)}"
        yield "    }"


def _lines(model: Model) -> Iterator[str]:
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
