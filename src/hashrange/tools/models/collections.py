"""Item collections: the entities whose items share partition keys, in a table or an index. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from hashrange.tools.models.schema import Entity, Model
from hashrange.tools.models.table_parts import indexes_of, keys_of
from hashrange.tools.models.templates import is_constant


class Collection(msgspec.Struct, frozen=True, kw_only=True):
    """The items of one partition key.

    Attributes:
        table: the name of the table.
        index: the name of the index; None for the table.
        partition: the template of the partition key.
        members: the entities with the templates of their sort keys; empty texts if there is none.
    """

    table: str
    index: str | None
    partition: str
    members: tuple[tuple[Entity, str], ...]

    def parent(self) -> Entity | None:
        """The entity with one item for each partition key, if there is one."""
        found = [entity for entity, sort in self.members if sort and is_constant(sort)]
        return found[0] if len(found) == 1 else None


def collections_of(model: Model) -> Iterator[Collection]:
    """The item collections of all tables, and of their global indexes."""
    for table in model.tables:
        parts: dict[str | None, Mapping[str, Any]] = {None: table.request}
        parts.update(indexes_of(table.request))
        entities = list(model.entities_of(table))
        for index, part in parts.items():
            grouped: dict[str, list[tuple[Entity, str]]] = {}
            partition, sort = keys_of(part)
            for entity in entities:
                first = key_template(entity, partition)
                second = key_template(entity, sort)
                if first is not None and second is not None:
                    grouped.setdefault(first, []).append((entity, second))
            for template, members in grouped.items():
                yield Collection(
                    table=table.name, index=index, partition=template, members=tuple(members)
                )


def key_template(entity: Entity, names: list[str]) -> str | None:
    """The template of a key, of several attributes joined; None if the entity lacks one."""
    texts: list[str] = []
    for name in names:
        text = entity.templates.get(name)
        if text is None:
            if name not in entity.attributes:
                return None
            text = f"{{{name}}}"
        texts.append(text)
    return " ".join(texts)
