"""The templates: their names, and the parts of each that are stored."""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from hashrange.tools.models.files import parsed
from hashrange.tools.models.reading import model_of
from hashrange.tools.models.schema import Model

TEMPLATES: Final = (
    *("saas", "ecommerce", "social", "leaderboard", "iot", "chat", "ledger"),
    *("session-store", "event-store", "file-metadata", "geo"),
)
"""The names of the templates."""
SCAFFOLD: Final = "scaffold"
"""The folder with the files of all projects."""
MODEL: Final = "model.toml"
STORY: Final = "story.md"


@cache
def parts_of(folder: str) -> dict[str, str]:
    """The texts of the files of a folder of `data`, by their names."""
    found: Traversable = files("hashrange.tools.templates") / "data" / folder
    return {
        each.name: each.read_text("utf-8")
        for each in sorted(found.iterdir(), key=lambda each: each.name)
        if each.is_file()
    }


@cache
def model_of_template(name: str) -> Model:
    """The model of a template."""
    return model_of(parsed(parts_of(name)[MODEL].encode(), ".toml"), name)
