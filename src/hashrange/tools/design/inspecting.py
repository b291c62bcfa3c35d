"""The inspection of a model: its parts, findings with their lines, costs, requests and forms."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Final

import msgspec

from hashrange.capacity.costs.bill import monthly_bill
from hashrange.capacity.prices import listed, prices_of
from hashrange.optional_packages import MissingPackageError
from hashrange.tools.checking.checks import found_by_rules
from hashrange.tools.checking.remedies import REMEDIES
from hashrange.tools.checking.results import PatternResult
from hashrange.tools.checking.running import priced
from hashrange.tools.checking.sizing import entity_bytes, units_of
from hashrange.tools.costs.load import usage_of_model
from hashrange.tools.design.choices import DesignError
from hashrange.tools.design.designs import OUTPUTS, design_in
from hashrange.tools.design.model_formats import FORMATS
from hashrange.tools.design.steps import steps_of
from hashrange.tools.models.collections import collections_of
from hashrange.tools.models.files import json_text, parsed
from hashrange.tools.models.items import items_of
from hashrange.tools.models.lines import Lines, line_of_error
from hashrange.tools.models.reading import model_of
from hashrange.tools.models.schema import AccessPattern, Model, ModelError
from hashrange.tools.models.table_parts import part_of

FINDINGS_MAX: Final = 500
_REQUEST_CHARS_MAX: Final = 4000
_OTHER_FORM: Final = (LookupError, TypeError, AttributeError, RuntimeError)
"""Errors of members of requests that are passed on as the model has them."""


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request to inspect a model.

    Attributes:
        text: the text of the model.
        file: the name of its file, whose ending says the form.
        form: the form to write it in: one of `writing.FORMATS`, or of `outputs.OUTPUTS` if `table`
            is given; None to inspect it.
        table: the table of a design; its only one by default.
        is_design: whether `form` is one of a design of one table.
    """

    text: str
    file: str = ""
    form: str | None = None
    table: str | None = None
    is_design: bool = False


def answered(asked: ModelRequest) -> dict[str, Any]:
    """The answer, or `fault`: why the model cannot be read or written, with its line."""
    name = PurePath(asked.file.replace("\\", "/"))
    try:
        model = model_of(parsed(asked.text.encode(), name.suffix), name.stem or "model")
    except (ModelError, MissingPackageError) as error:
        line = line_of_error(asked.text, str(error), name.suffix)
        return {"fault": {"text": str(error), "line": line}}
    try:
        if asked.form is None:
            return _inspected(model, asked.text)
        return {"text": _written(model, asked, asked.form)}
    except (ModelError, DesignError, MissingPackageError) as error:
        return {"fault": {"text": str(error), "line": None}}
    except _OTHER_FORM as error:
        text = f"a part has another form than DynamoDB takes: {type(error).__name__} {error}"
        return {"fault": {"text": text[:_REQUEST_CHARS_MAX], "line": None}}


def _written(model: Model, asked: ModelRequest, form: str) -> str:
    forms: Mapping[str, Any] = OUTPUTS if asked.is_design else FORMATS
    if form not in forms:
        raise DesignError(f"there is no form {form}: the forms are {', '.join(forms)}")
    made = design_in(model, asked.table, production=False) if asked.is_design else model
    text: str = forms[form](made)
    return text


def _inspected(model: Model, text: str) -> dict[str, Any]:
    lines = Lines(text)
    findings = sorted(found_by_rules(model), key=lambda each: not each.is_error)
    usage = usage_of_model(model)
    return {
        "name": model.name,
        "description": model.description,
        "dialect": model.dialect,
        "tables": [_shown_table(model, number) for number in range(len(model.tables))],
        "entities": _entities(model, lines),
        "patterns": [_shown_pattern(model, each, lines) for each in model.patterns],
        "collections": [
            {
                "table": each.table,
                "index": each.index,
                "partition": each.partition,
                "members": [[entity.name, sort] for entity, sort in each.members],
            }
            for each in collections_of(model)
        ],
        "findings": [
            {
                "kind": each.kind,
                "severity": each.severity,
                "place": each.place,
                "text": each.text.removesuffix(f". {REMEDIES[each.kind]}"),
                "remedy": REMEDIES[each.kind],
                "line": lines.of_place(each.place),
            }
            for each in findings[:FINDINGS_MAX]
        ],
        "findingsInAll": len(findings),
        "costs": {
            "monthly": monthly_bill(usage.usage, prices_of(listed())).monthly,
            "storageGb": usage.usage.storage_gb,
            "leftOut": usage.left_out,
        },
        "forms": {"model": [*FORMATS], "design": [*OUTPUTS]},
    }


def _shown_table(model: Model, number: int) -> dict[str, Any]:
    """A table: its definition, the requests that make it, and the items of its entities."""
    table = model.tables[number]
    entities = list(model.entities_of(table))
    return {
        **msgspec.to_builtins(part_of(table)),
        "request": table.request,
        "steps": [
            {"service": each.service, "operation": each.operation, "request": each.request}
            for each in steps_of(table)
        ],
        "samples": [item for entity in entities for item in items_of(model, entity)],
        "generated": [entity.name for entity in entities if not entity.samples],
    }


def _entities(model: Model, lines: Lines) -> list[dict[str, Any]]:
    found = []
    for entity in model.entities:
        table = model.table_of_entity(entity)
        found.append(
            {
                "name": entity.name,
                "description": entity.description,
                "table": None if table is None else table.name,
                "templates": entity.templates,
                "attributes": entity.attributes,
                "optional": entity.optional,
                "items": entity.items,
                "bytes": entity_bytes(model, entity),
                "line": lines.of_name(entity.name, "entity"),
            }
        )
    return found


def _shown_pattern(model: Model, pattern: AccessPattern, lines: Lines) -> dict[str, Any]:
    table = model.table_of_pattern(pattern)
    asked = pattern.request if pattern.request is not None else pattern.key
    result = PatternResult(name=pattern.name, operation=pattern.operation, status="not run")
    units = units_of(model, pattern)
    return {
        "name": pattern.name,
        "description": pattern.description or pattern.note or "",
        "operation": pattern.operation,
        "table": None if table is None else table.name,
        "index": pattern.index,
        "entity": pattern.entity,
        "asked": json_text(asked, indent=-1)[:_REQUEST_CHARS_MAX] if asked else "",
        "rate": pattern.rate,
        "readUnits": None if units is None else units.read,
        "writeUnits": None if units is None else units.write + units.index_write,
        "monthly": None if units is None else priced(model, pattern, result).monthly,
        "line": lines.of_name(pattern.name, "pattern"),
    }
