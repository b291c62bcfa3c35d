"""The result of a simulation as a chart. The suffix of the file is the format: PNG or SVG."""

from pathlib import Path
from typing import Any, Final

from hashrange.capacity.simulation.results import Result
from hashrange.optional_packages import imported

MATPLOTLIB: Final = "matplotlib>=3.9"
"""The package as an argument of pip."""
FORMATS: Final = (".png", ".svg")
_MINUTE_SECONDS: Final = 60
_DPI: Final = 110


def require() -> None:
    """Raises MissingPackageError if matplotlib is not installed."""
    imported("matplotlib", MATPLOTLIB, "Charts need matplotlib")


def draw(result: Result, path: Path) -> None:
    """Write the chart of a result. Raises MissingPackageError if matplotlib is not installed."""
    matplotlib = imported("matplotlib", MATPLOTLIB, "Charts need matplotlib")
    figures = imported("matplotlib.figure", MATPLOTLIB, "Charts need matplotlib")
    names = list(result.places)
    # Without a date and random ids the same workload gives the same file.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": result.title}):
        size = (10, 2.6 * (len(names) + 1))
        figure = figures.Figure(figsize=size, layout="constrained")
        rows = figure.subplots(len(names) + 1, 1, sharex=True, squeeze=False)[:, 0]
        for name, axes in zip(names, rows, strict=False):
            _place(result, name, axes)
        _requests(result, rows[-1])
        rows[-1].set_xlabel("minutes")
        figure.suptitle(result.title)
        metadata = {"Date": None} if path.suffix == ".svg" else {}
        figure.savefig(path, dpi=_DPI, metadata=metadata)


def _place(result: Result, name: str, axes: Any) -> None:
    """Consumed units, served units, and partitions on a second axis."""
    minutes = result.places[name]
    times = range(1, len(minutes) + 1)
    for kind, colour in (("write", "tab:blue"), ("read", "tab:green")):
        consumed = [getattr(each, f"{kind}_units") / _MINUTE_SECONDS for each in minutes]
        if any(consumed):
            served = [getattr(each, f"{kind}_rate") for each in minutes]
            axes.plot(times, consumed, color=colour, label=f"{kind} units a second")
            axes.plot(
                times, served, color=colour, linestyle=":", label=f"{kind} units served at most"
            )
    axes.set_ylim(bottom=0)
    axes.set_title("table" if name == result.table else f"index {name}", loc="left", fontsize=10)
    counts = axes.twinx()
    partitions = [each.partitions for each in minutes]
    counts.step(times, partitions, color="tab:gray", where="post", label="partitions")
    counts.set_ylim(0, max(partitions) * 1.2)
    counts.set_ylabel("partitions", color="tab:gray")
    counts.yaxis.get_major_locator().set_params(integer=True)
    _legend(axes)


def _requests(result: Result, axes: Any) -> None:
    for name, minutes in result.traffic.items():
        times = range(1, len(minutes) + 1)
        asked = [each.requests / _MINUTE_SECONDS for each in minutes]
        (line,) = axes.plot(times, asked, label=f"{name} a second")
        throttled = [each.throttled / _MINUTE_SECONDS for each in minutes]
        if any(throttled):
            axes.fill_between(times, throttled, color="tab:red", alpha=0.15)
            colour = line.get_color()
            axes.plot(times, throttled, color=colour, linestyle="--", label=f"{name} throttled")
    axes.set_ylim(bottom=0)
    axes.set_title("requests", loc="left", fontsize=10)
    _legend(axes)


def _legend(axes: Any) -> None:
    """Put the legend beside the curves, so that it does not cover them."""
    if axes.lines:
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.09, 0.5))
