"""The form of models of hashrange itself, in TOML or JSON. Pure.

Structs and their docstrings are the schema: `json_schema` writes it.
"""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hashrange.tools.models.files import json_text
from hashrange.tools.models.samples import plain_item, typed_item
from hashrange.tools.models.schema import AccessPattern, Entity, Model, ModelError, Part
from hashrange.tools.models.table_parts import TablePart, definition_of, key_types, part_of
from hashrange.tools.models.workbench import without_data


class Document(Part, frozen=True, kw_only=True):
    """A model of tables for DynamoDB: entities, access patterns and samples.

    Attributes:
        schema: the URL of the JSON Schema, for editors; it is not read.
        name: the name of the model.
        description: what the application is.
        tables: the tables with their settings.
        entities: the kinds of items.
        patterns: the requests that the application sends.
        workbench: the document of NoSQL Workbench as JSON text, without its data: its other
            members are kept when the model is written in that form.
    """

    schema: str | None = msgspec.field(name="$schema", default=None)
    name: str
    description: str = ""
    tables: Annotated[tuple[TablePart, ...], Meta(min_length=1, max_length=1000)]
    entities: Annotated[tuple[Entity, ...], Meta(max_length=10_000)] = ()
    patterns: Annotated[tuple[AccessPattern, ...], Meta(max_length=10_000)] = ()
    workbench: str | None = None


def model_of_document(members: Mapping[str, Any]) -> Model:
    """The model of a file of this form. Raises ModelError."""
    try:
        document = msgspec.convert(members, Document)
    except msgspec.ValidationError as error:
        raise ModelError(str(error)) from error
    tables = []
    for number, part in enumerate(document.tables):
        try:
            tables.append(definition_of(part))
        except ModelError as error:
            raise ModelError(f"{error} - at `$.tables[{number}]`") from error
    model = Model(
        name=document.name,
        description=document.description,
        tables=tuple(tables),
        patterns=document.patterns,
        workbench=_workbench(document.workbench),
    )
    entities = tuple(
        _entity(model, entity, number) for number, entity in enumerate(document.entities)
    )
    return msgspec.structs.replace(model, entities=entities)


def _workbench(text: str | None) -> dict[str, Any] | None:
    try:
        found = None if text is None else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{error} - at `$.workbench`") from error
    if not isinstance(found, dict | None):
        raise ModelError("it is not the JSON of an object - at `$.workbench`")
    return found


def _entity(model: Model, entity: Entity, number: int) -> Entity:
    types = attribute_types(model, entity)
    samples = []
    for at, sample in enumerate(entity.samples):
        try:
            samples.append(typed_item(sample, types))
        except ModelError as error:
            raise ModelError(f"{error} - at `$.entities[{number}].samples[{at}]`") from error
    return msgspec.structs.replace(entity, samples=tuple(samples))


def attribute_types(model: Model, entity: Entity) -> dict[str, str]:
    """The types of the attributes of an entity: those of keys, and those that it declares."""
    table = model.table_of_entity(entity)
    keys = {} if table is None else key_types(table.request)
    return {**keys, **entity.attributes}


def document_of(model: Model) -> dict[str, Any]:
    """The members of a file of this form."""
    document = Document(
        name=model.name,
        description=model.description,
        tables=tuple(part_of(table) for table in model.tables),
        entities=tuple(
            msgspec.structs.replace(
                entity,
                samples=tuple(
                    plain_item(sample, attribute_types(model, entity)) for sample in entity.samples
                ),
            )
            for entity in model.entities
        ),
        patterns=tuple(model.patterns),
        workbench=None
        if model.workbench is None
        else json_text(without_data(model.workbench), indent=-1),
    )
    members: dict[str, Any] = msgspec.to_builtins(document, builtin_types=(Decimal,))
    return members
