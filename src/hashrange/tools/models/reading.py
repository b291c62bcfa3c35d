"""Reads the model of a file; its content says the form."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.tools.models.cloudformation import model_of_template
from hashrange.tools.models.document import model_of_document
from hashrange.tools.models.files import bytes_of, parsed
from hashrange.tools.models.schema import Model, ModelError

Reader: TypeAlias = Callable[[Mapping[str, Any], str], Model]
"""A function from the members of a file, and the name of the file without its ending."""


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
    return msgspec.structs.replace(model, dialect=dialect)


def dialect_of(members: Mapping[str, Any]) -> str:
    """The form of parsed data. Raises ModelError: none of the known forms."""
    if isinstance(members.get("Resources"), dict):
        return "cloudformation"
    if "tables" in members and "name" in members:
        return "hashrange"
    raise ModelError(
        "it is not a model: neither tables of this program, nor DataModel of NoSQL Workbench, "
        "nor models of OneTable, nor Resources of CloudFormation"
    )


DIALECTS: Final[Mapping[str, Reader]] = {
    "hashrange": lambda members, _name: model_of_document(members),
    "cloudformation": model_of_template,
}
"""The readers by the form of a file."""
