"""Writes models in the forms of hashrange and of other programs."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from hashrange.optional_packages import imported
from hashrange.tools.models.document import document_of
from hashrange.tools.models.files import json_text
from hashrange.tools.models.format_writing import template_of_model, workbench_of
from hashrange.tools.models.markdown import markdown_of
from hashrange.tools.models.onetable import onetable_of
from hashrange.tools.models.schema import Model

TOML: Final = "tomli-w>=1.1"
"""The package as an argument of pip."""
Writer: TypeAlias = Callable[[Model], str]


def toml_of(model: Model) -> str:
    """A model in the form of hashrange, in TOML. Raises MissingPackageError."""
    module: Any = imported("tomli_w", TOML, "Models in TOML are written by tomli-w")
    text: str = module.dumps(_without_nulls(document_of(model)))
    return text


def _without_nulls(value: Any) -> Any:
    """Data without nulls, which TOML does not have; requests of DynamoDB have none either."""
    match value:
        case dict():
            return {name: _without_nulls(each) for name, each in value.items() if each is not None}
        case list():
            return [_without_nulls(each) for each in value if each is not None]
        case _:
            return value


def _json(document: Callable[[Model], Mapping[str, Any]]) -> Writer:
    return lambda model: json_text(document(model)) + "\n"


FORMATS: Final[Mapping[str, Writer]] = {
    "toml": toml_of,
    "json": _json(document_of),
    "workbench": _json(workbench_of),
    "onetable": _json(onetable_of),
    "cloudformation": template_of_model,
    "markdown": markdown_of,
}
"""The writers by the name of a format. They raise ModelError: a model cannot be written so."""
