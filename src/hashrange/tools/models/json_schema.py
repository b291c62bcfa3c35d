"""The JSON Schema of the form of models of hashrange, made of the structs of `document`. Pure."""

import inspect
import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hashrange.model.data_types import DATA_TYPES
from hashrange.tools.models.document import Document
from hashrange.tools.models.schema import OPERATIONS, AccessPattern, Entity
from hashrange.tools.models.table_parts import IndexPart, ScalingPart, TablePart

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_PARTS: Final = (Document, TablePart, IndexPart, ScalingPart, Entity, AccessPattern)
_ATTRIBUTE: Final = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


def json_schema() -> dict[str, Any]:
    """The schema; the descriptions are those of the docstrings."""
    schema = msgspec.json.schema(Document)
    for part in _PARTS:
        described = schema["$defs"][part.__name__]
        summary, _, attributes = (inspect.getdoc(part) or "").partition("Attributes:")
        described["description"] = " ".join(summary.split())
        texts = {match[1]: " ".join(match[2].split()) for match in _ATTRIBUTE.finditer(attributes)}
        _describe(described["properties"], texts)
    patterns = schema["$defs"]["AccessPattern"]["properties"]
    patterns["operation"]["enum"] = list(OPERATIONS)
    kinds = schema["$defs"]["Entity"]["properties"]["attributes"]
    kinds["additionalProperties"] = {"type": "string", "enum": list(DATA_TYPES)}
    return {"$schema": _DIALECT, **schema}


def _describe(properties: Mapping[str, dict[str, Any]], texts: Mapping[str, str]) -> None:
    for name, described in properties.items():
        described["description"] = texts[name.removeprefix("$")]
