"""A design: the definition of one table and its items; the forms that designs are written in."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from hashrange.tools.definition import TableDefinition
from hashrange.tools.design.cdk import cdk_of
from hashrange.tools.design.choices import DesignError, production_of
from hashrange.tools.design.cloudformation import template_of
from hashrange.tools.design.model_formats import FORMATS as MODELS
from hashrange.tools.design.scripts import boto3_program_of, shell_script_of
from hashrange.tools.design.terraform import configuration_of
from hashrange.tools.design.yaml_text import yaml_of
from hashrange.tools.models.markdown import markdown_of
from hashrange.tools.models.schema import Entity, Model
from hashrange.tools.models.table_parts import key_types, keys_of

_words: Final = re.compile(r"[^\W_]+").findall


class Design(msgspec.Struct, frozen=True, kw_only=True):
    """A table to be made.

    Attributes:
        definition: the table.
        model: a model of the table alone, with its entities and access patterns.
        parameters: whether a template lets mode, ranges and environment be chosen.
    """

    definition: TableDefinition
    model: Model
    parameters: bool = False


def design_of(
    definition: TableDefinition, entities: Iterable[str] = (), *, parameters: bool = False
) -> Design:
    """The design of a table whose items are of named kinds.

    The keys of an entity are its name and an identifier, if the keys of the table are texts.
    """
    kinds = tuple(_entity(definition, name) for name in entities)
    model = Model(name=definition.name, tables=(definition,), entities=kinds)
    return Design(definition=definition, model=model, parameters=parameters)


def _entity(definition: TableDefinition, name: str) -> Entity:
    words = _words(name)
    if not words:
        raise DesignError(f"--entity: {name!r} is not a name")
    first, *others = words
    identifier = first[0].lower() + first[1:] + "".join(each.capitalize() for each in others)
    template = f"{'_'.join(words).upper()}#{{{identifier}Id}}"
    types = key_types(definition.request)
    names = [each for part in keys_of(definition.request) for each in part]
    templates = {each: template for each in names if types.get(each) == "S"}
    return Entity(name=name, templates=templates)


def design_in(model: Model, name: str | None, *, production: bool) -> Design:
    """The design of one table of a model. Raises DesignError.

    Args:
        model: the model.
        name: the name of the table; None for the only one.
        production: whether the table gets the settings of `production_of`.
    """
    table = model.table_named(name)
    if table is None:
        names = ", ".join(each.name for each in model.tables)
        if name is not None:
            raise DesignError(f"the model has no table {name}: its tables are {names}")
        raise DesignError(
            f"the model has {len(model.tables)} tables, --table-name chooses: {names}"
        )
    definition = production_of(table) if production else table
    own = msgspec.structs.replace(
        model,
        tables=(definition,),
        entities=tuple(model.entities_of(table)),
        patterns=tuple(each for each in model.patterns if model.table_of_pattern(each) is table),
    )
    return Design(definition=definition, model=own, parameters=production)


JSON: Final = "json"


def _json(design: Design) -> str:
    members = msgspec.to_builtins(design.definition)
    return json.dumps(members, indent=2, ensure_ascii=False) + "\n"


def _cloudformation(design: Design) -> str:
    return yaml_of(template_of(design.definition, parameters=design.parameters))


OUTPUTS: Final[Mapping[str, Callable[[Design], str]]] = {
    "cloudformation": _cloudformation,
    "cdk-typescript": lambda design: cdk_of(design.definition, "typescript"),
    "cdk-python": lambda design: cdk_of(design.definition, "python"),
    "terraform": lambda design: configuration_of(design.definition),
    "aws-cli": lambda design: shell_script_of(design.definition),
    "boto3": lambda design: boto3_program_of(design.definition),
    "workbench": lambda design: MODELS["workbench"](design.model),
    "markdown": lambda design: markdown_of(design.model),
    JSON: _json,
}
"""The texts of designs by the name of a format. They raise DesignError."""
