"""The model of a file that a command names, and its errors."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from pathlib import Path
from typing import TYPE_CHECKING

from hashrange.cli.refusals import Misuse, Refusal

if TYPE_CHECKING:
    from hashrange.tools.models.schema import Model


def model_at(path: Path) -> "Model":
    """The model of a file. Raises Misuse; Refusal if a package is missing."""
    from hashrange.optional_packages import MissingPackageError
    from hashrange.tools.models.reading import read_model
    from hashrange.tools.models.schema import ModelError

    try:
        return read_model(path)
    except ModelError as error:
        raise Misuse(f"{path}: {error}") from error
    except MissingPackageError as error:
        raise Refusal(str(error)) from error
