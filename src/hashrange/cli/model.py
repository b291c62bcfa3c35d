"""`hashrange model`: converts models of tables, and describes their form."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from pathlib import Path
from typing import Final

import click

from hashrange.cli.files import never_asks
from hashrange.cli.model_files import model_at
from hashrange.cli.refusals import Misuse, Refusal

_FORMS: Final = {"": "toml", ".toml": "toml", ".json": "json", ".md": "markdown"}
"""The form of a file that is written, by its ending; "" for standard output."""
_FORMATS: Final = ("toml", "json", "workbench", "onetable", "cloudformation", "markdown")


@click.group()
def model() -> None:
    """Models of tables: entities, access patterns and samples.

    docs/models.md describes the form of hashrange, and the forms of other programs.
    """


@model.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "form",
    type=click.Choice(_FORMATS),
    help="The form to write  [default: that of --output's ending, .toml, .json or .md]",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write to this file; a chart to one that ends in .png or .svg (needs matplotlib).",
)
@never_asks
@click.option("--overwrite", is_flag=True, help="Replace the file of --output if it exists.")
def convert(file: Path, form: str | None, output: Path | None, *, overwrite: bool) -> None:
    """Write the model of FILE in another form.

    FILE is a model of hashrange (TOML or JSON), of NoSQL Workbench, of OneTable (JSON), a
    dynamodb_data_model.json, or a CloudFormation template; its content says which.

    \b
    Examples:
      hashrange model convert workbench.json --to toml --output shop.toml
      hashrange model convert shop.toml --to markdown
      hashrange model convert shop.toml --output shop.png
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.optional_packages import MissingPackageError
    from hashrange.tools.design.model_formats import FORMATS
    from hashrange.tools.models.charts import FORMATS as CHARTS
    from hashrange.tools.models.charts import draw
    from hashrange.tools.models.schema import ModelError

    found = model_at(file)
    ending = "" if output is None else output.suffix.lower()
    if form is None and ending not in CHARTS:
        form = _FORMS.get(ending)
        if form is None:
            raise Misuse(f"{output}: its ending names no form: give one with --to")
    try:
        if output is not None and output.exists() and not overwrite:
            raise Misuse(f"{output} exists; --overwrite replaces it")
        if output is not None and ending in CHARTS:
            draw(found, output)
            return
        text = FORMATS[form or "toml"](found)
        if output is None:
            click.echo(text, nl=False)
        else:
            output.write_text(text, "utf-8")
    except ModelError as error:
        raise Misuse(f"{file}: {error}") from error
    except MissingPackageError as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Misuse(f"{output or 'standard output'}: {error.strerror}") from error


@model.command()
def schema() -> None:
    """Write the JSON Schema of models of hashrange."""
    from hashrange.tools.models.files import json_text
    from hashrange.tools.models.json_schema import json_schema

    click.echo(json_text(json_schema()))
