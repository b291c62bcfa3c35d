"""The comparison as a picture: one panel a workload, one bar a peer."""

from pathlib import Path
from typing import Any, Final

CONNECTIONS: Final = 32
_COLUMNS: Final = 4
_OWN: Final = "#c2410c"
_LIMIT: Final = "#d4d4d4"
_OTHER: Final = "#64748b"
_LEAST: Final = 5.0


def draw(report: dict[str, Any], path: Path) -> None:
    """Write a PNG of the CPU time of a request at 32 connections, on a logarithmic scale.

    Rates, in brackets, depend on what else the machine did; CPU time hardly does.

    Raises ImportError: matplotlib is not installed.
    """
    import matplotlib as mpl  # noqa: PLC0415 - only who wants the picture needs it

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - as above

    measured = [each for each in report["peers"] if each["rows"]]
    names = list(dict.fromkeys(row["workload"] for each in measured for row in each["rows"]))
    height = -(-len(names) // _COLUMNS)
    figure, axes = plt.subplots(
        height, _COLUMNS, figsize=(16, 3.2 * height), squeeze=False, layout="constrained"
    )
    for index, axis in enumerate(axes.flat):
        if index < len(names):
            _panel(axis, names[index], measured, labelled=index % _COLUMNS == 0)
        else:
            axis.axis("off")
    figure.suptitle(
        "µs of server CPU a request (logarithmic; shorter is better), in brackets requests a "
        f"second; {CONNECTIONS} connections, 250-byte items"
    )
    figure.savefig(path, dpi=75)
    plt.close(figure)


def _panel(axis: Any, name: str, measured: list[dict[str, Any]], *, labelled: bool) -> None:
    found = [next((row for row in each["rows"] if _is_of(row, name)), None) for each in measured]
    times = [_LEAST if row is None else row["cpu_us"] or _LEAST for row in found]
    places = range(len(measured))
    axis.barh(places, times, color=[_colour(each["peer"]) for each in measured])
    for place, cpu_us, row in zip(places, times, found, strict=True):
        axis.text(cpu_us, place, _label(row), va="center", fontsize=7)
    axis.set_xscale("log")
    axis.set_xlim(left=_LEAST, right=max(times) * 30)
    axis.set_yticks(places, [each["peer"] for each in measured] if labelled else [], fontsize=8)
    axis.invert_yaxis()
    axis.set_title(name, fontsize=10)
    axis.tick_params(axis="x", labelsize=7)
    axis.spines[["top", "right"]].set_visible(False)


def _is_of(row: dict[str, Any], name: str) -> bool:
    is_shown = row.get("loop") == "closed" and row["connections"] == CONNECTIONS
    return is_shown and row["workload"] == name


def _label(row: dict[str, Any] | None) -> str:
    if row is None:
        return " refused, or wrong"
    if row["cpu_us"] is None:
        return " none in time"
    return f" {row['cpu_us']:,.0f} ({row['requests_per_second']:,.0f}/s)"


def _colour(peer: str) -> str:
    if peer.startswith("hashrange"):
        return _OWN
    return _LIMIT if peer == "constant" else _OTHER
