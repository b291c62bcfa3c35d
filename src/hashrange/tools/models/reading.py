"""Reads the model of a file; its content says the form."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from hashrange.tools.models.cloudformation import model_of_template
from hashrange.tools.models.cost_model import model_of_cost_model
from hashrange.tools.models.data_model import model_of_data_model
from hashrange.tools.models.document import model_of_document
from hashrange.tools.models.files import bytes_of, parsed
from hashrange.tools.models.onetable import model_of_onetable
from hashrange.tools.models.schema import Model, ModelError
from hashrange.tools.models.workbench import model_of_workbench

Reader: TypeAlias = Callable[[Mapping[str, Any], str], Model]
"""A function from the members of a file, and the name of the file without its ending."""


class _Element(msgspec.Struct, frozen=True, rename="pascal"):
    attribute_name: str
    key_type: Literal["HASH", "RANGE"]


class _Definition(msgspec.Struct, frozen=True, rename="pascal"):
    attribute_name: str
    attribute_type: str


class _Projection(msgspec.Struct, frozen=True, rename="pascal"):
    projection_type: str = "ALL"
    non_key_attributes: tuple[str, ...] | None = None


class _Index(msgspec.Struct, frozen=True, rename="pascal"):
    index_name: str
    key_schema: tuple[_Element, ...]
    projection: _Projection


class _Table(msgspec.Struct, frozen=True, rename="pascal"):
    """The members of CreateTable that tools read; whether their values fit DynamoDB decides."""

    table_name: str
    key_schema: tuple[_Element, ...]
    attribute_definitions: tuple[_Definition, ...]
    global_secondary_indexes: tuple[_Index, ...] | None = None
    local_secondary_indexes: tuple[_Index, ...] | None = None


def read_model(path: Path) -> Model:
    """The model of a file, in any of the forms of `DIALECTS`.

    Raises:
        ModelError: there is no model; the text has the place in the file, but not its name.
        MissingPackageError: the file is YAML, and PyYAML is not installed.
    """
    return model_of(parsed(bytes_of(path), path.suffix), path.stem)


def model_of(members: Mapping[str, Any], name: str) -> Model:
    """The model of parsed data. Raises ModelError.

    Args:
        members: the members of the file.
        name: the name of a model or a table that the file does not name.
    """
    dialect = dialect_of(members)
    try:
        model = DIALECTS[dialect](members, name)
    except ModelError:
        raise
    except msgspec.ValidationError as error:
        raise ModelError(str(error)) from error
    except RecursionError as error:
        raise ModelError("it is nested too deep") from error
    for table in model.tables:
        _check_table(table.request)
    return msgspec.structs.replace(model, dialect=dialect)


def _check_table(request: Mapping[str, Any]) -> None:
    """Raise ModelError if the request of a table has members of another form."""
    name = request.get("TableName")
    try:
        table = msgspec.convert(request, _Table)
    except msgspec.ValidationError as error:
        raise ModelError(f"table {name}: {error}") from error
    if all(each.key_type != "HASH" for each in table.key_schema):
        raise ModelError(f"table {name}: its KeySchema has no partition key")


def dialect_of(members: Mapping[str, Any]) -> str:
    """The form of parsed data. Raises ModelError: none of the known forms."""
    tables = members.get("tables")
    first = tables[0] if isinstance(tables, list) and tables else None
    names = first.keys() if isinstance(first, dict) else set()
    facts = {
        "workbench": "DataModel" in members,
        "onetable": "models" in members and "indexes" in members,
        "cloudformation": isinstance(members.get("Resources"), dict),
        "data-model": "TableName" in names,
        "cost-model": "table_name" in names,
        "hashrange": "tables" in members and "name" in members,
    }
    found = next((dialect for dialect, is_it in facts.items() if is_it), None)
    if found is None:
        raise ModelError(
            "it is not a model: it has no name and tables, no DataModel of NoSQL Workbench, no "
            "indexes and models of OneTable, and no Resources of CloudFormation"
        )
    return found


DIALECTS: Final[Mapping[str, Reader]] = {
    "hashrange": lambda members, _name: model_of_document(members),
    "workbench": model_of_workbench,
    "onetable": model_of_onetable,
    "cloudformation": model_of_template,
    "data-model": model_of_data_model,
    "cost-model": model_of_cost_model,
}
"""The readers by the form of a file."""
