"""The item collections of a model as a chart. The suffix of the file is the format: PNG or SVG."""

from pathlib import Path
from typing import Any, Final

from hashrange.optional_packages import imported
from hashrange.tools.models.collections import Collection, collections_of
from hashrange.tools.models.schema import Model, ModelError

MATPLOTLIB: Final = "matplotlib>=3.9"
"""The package as an argument of pip."""
FORMATS: Final = (".png", ".svg")
ROWS_MAX: Final = 200
"""A chart with more rows would not be read, and takes long."""
_COLOURS: Final = ("#cfe2f3", "#d9ead3", "#fff2cc", "#f4cccc", "#d9d2e9", "#fce5cd", "#d0e0e3")
_DPI: Final = 110


def draw(model: Model, path: Path) -> None:
    """Write the chart of a model: a row for each entity in a partition key.

    Raises:
        MissingPackageError: matplotlib is not installed.
        ModelError: the model has no entities with keys, or too many.
    """
    figures = imported("matplotlib.figure", MATPLOTLIB, "Charts need matplotlib")
    matplotlib = imported("matplotlib", MATPLOTLIB, "Charts need matplotlib")
    collections = list(collections_of(model))
    rows = sum(len(each.members) + 2 for each in collections)
    if not 0 < rows <= ROWS_MAX:
        raise ModelError(f"a chart has 1 to {ROWS_MAX} rows, and this one would have {rows}")
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": model.name}):
        figure = figures.Figure(figsize=(10, 0.32 * rows + 0.8), layout="constrained")
        axes = figure.subplots()
        axes.set_xlim(0, 10)
        axes.set_ylim(rows, 0)
        axes.axis("off")
        axes.set_title(_plain(f"{model.name}: item collections"), loc="left")
        colours = {
            entity.name: _COLOURS[number % len(_COLOURS)]
            for number, entity in enumerate(model.entities)
        }
        row = 0
        for collection in collections:
            row = _collection(axes, collection, row, colours)
        metadata = {"Date": None} if path.suffix == ".svg" else {}
        figure.savefig(path, dpi=_DPI, metadata=metadata)


def _collection(axes: Any, collection: Collection, row: int, colours: dict[str, str]) -> int:
    """Draw a collection; returns the next free row."""
    place = f"table {collection.table}"
    if collection.index is not None:
        place = f"index {collection.index}"
    height = len(collection.members)
    axes.text(0, row + 0.75, _plain(place), fontsize=8, color="gray")
    box = {"facecolor": "#eeeeee", "edgecolor": "gray", "linewidth": 0.6}
    axes.add_patch(_rectangle(0, row + 1, 4, height, **box))
    axes.text(0.1, row + 1 + height / 2, _plain(collection.partition), fontsize=9, va="center")
    for at, (entity, sort) in enumerate(collection.members):
        top = row + 1 + at
        box["facecolor"] = colours[entity.name]
        axes.add_patch(_rectangle(4, top, 4, 1, **box))
        axes.text(4.1, top + 0.5, _plain(sort or "(no sort key)"), fontsize=9, va="center")
        axes.add_patch(_rectangle(8, top, 2, 1, **box))
        axes.text(8.1, top + 0.5, _plain(entity.name), fontsize=9, va="center")
    return row + height + 2


def _rectangle(left: float, top: float, width: float, height: float, **style: Any) -> Any:
    patches = imported("matplotlib.patches", MATPLOTLIB, "Charts need matplotlib")
    return patches.Rectangle((left, top), width, height, clip_on=False, **style)


def _plain(text: str) -> str:
    """Text without the marks of formulas."""
    return text.replace("$", r"\$")[:80]
