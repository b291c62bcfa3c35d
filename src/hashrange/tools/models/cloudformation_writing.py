"""Writes the tables of a model as one CloudFormation template, in YAML. Pure."""

import re
from collections.abc import Mapping
from typing import Any

from hashrange.tools.design.cloudformation import template_of
from hashrange.tools.design.identifiers import identifiers
from hashrange.tools.design.yaml_text import yaml_of
from hashrange.tools.models.schema import Model


def template_of_model(model: Model) -> str:
    """The template of all tables; with several, logical ids begin with those of their tables."""
    templates = [template_of(table) for table in model.tables]
    if len(templates) == 1:
        return yaml_of(templates[0])
    names = identifiers([table.name for table in model.tables])
    merged: dict[str, Any] = {
        **templates[0],
        "Description": f"The DynamoDB tables of {model.name}",
        "Resources": {},
        "Outputs": {},
    }
    for table, template in zip(model.tables, templates, strict=True):
        ids = {each: f"{names[table.name]}{each}" for each in template["Resources"]}
        for section in ("Resources", "Outputs"):
            merged[section] |= {
                f"{names[table.name]}{each}": _renamed(value, ids)
                for each, value in template[section].items()
            }
    return yaml_of(merged)


def _renamed(node: Any, ids: Mapping[str, str]) -> Any:
    """A part of a template with other logical ids."""
    match node:
        case {"Ref": str() as name}:
            return {"Ref": ids.get(name, name)}
        case {"Fn::GetAtt": [str() as name, *rest]}:
            return {"Fn::GetAtt": [ids.get(name, name), *rest]}
        case {"Fn::Sub": str() as text}:
            return {
                "Fn::Sub": re.sub(r"(?<=\$\{)\w+", lambda found: ids.get(found[0], found[0]), text)
            }
        case dict():
            return {name: _renamed(value, ids) for name, value in node.items()}
        case list():
            return [_renamed(each, ids) for each in node]
        case _:
            return node
