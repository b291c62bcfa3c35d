"""The model of a shop in examples/, for tests of models and their checks."""

import tomllib
from pathlib import Path
from typing import Any

TEXT = (Path(__file__).parents[4] / "examples" / "models" / "shop.toml").read_text("utf-8")


def members() -> dict[str, Any]:
    """The members of the file, to be changed by a test."""
    return tomllib.loads(TEXT)
