"""The formats of designs: a function for each name."""

import json
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from hashrange.tools.design.cdk import cdk_of
from hashrange.tools.design.cloudformation import template_of
from hashrange.tools.design.designs import Design
from hashrange.tools.design.scripts import boto3_program_of, shell_script_of
from hashrange.tools.design.terraform import configuration_of
from hashrange.tools.design.yaml_text import yaml_of
from hashrange.tools.models.markdown import markdown_of
from hashrange.tools.models.writing import FORMATS as MODELS

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
