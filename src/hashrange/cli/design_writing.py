"""Prints designs, and turns the errors of their tools into those of commands."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from hashrange.cli.refusals import Misuse

if TYPE_CHECKING:
    from hashrange.tools.design.designs import Design

OUTPUTS: Final = (
    *("cloudformation", "cdk-typescript", "cdk-python", "terraform", "aws-cli", "boto3"),
    *("workbench", "markdown", "json"),
)
"""The names of the formats of `tools.design.outputs`, the default first."""
PARTLY: Final = 3
"""Exit code if an endpoint lacks an API of a setting, or a form a setting, and has the rest."""


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """Raise the errors of designs within the context as Misuse."""
    from hashrange.tools.design.choices import DesignError

    try:
        yield
    except DesignError as error:
        raise Misuse(str(error)) from error


def text_of(design: "Design", output: str) -> str:
    """The design in a format. Raises Misuse."""
    from hashrange.tools.design.designs import OUTPUTS as FORMATS

    with refusals():
        return FORMATS[output](design)


def write(design: "Design", output: str) -> None:
    """Print the design in a format. Raises Misuse."""
    click.echo(text_of(design, output), nl=False)
