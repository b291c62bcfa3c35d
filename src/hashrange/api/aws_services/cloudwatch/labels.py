"""Labels of time series, with what stands in them for facts of the series. Pure.

Source: CloudWatch User Guide, "Using dynamic labels".
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from hashrange.api.aws_services.cloudwatch.series_math import Series
from hashrange.api.aws_services.cloudwatch.service import invalid
from hashrange.messages import cloudwatch as messages

_dynamic: Final = re.compile(r"\$\{\s*([^{}]*?)\s*\}")
_property_of: Final = re.compile(r"PROP\(\s*(?:'([^']*)'|\"([^\"]*)\")\s*\)").fullmatch
_is_timezone: Final = re.compile(r"[+-][0-9]{4}").fullmatch
_LABEL: Final = "LABEL"
_DIMENSION: Final = "Dim."
_PROPERTIES: Final = frozenset({"MetricName", "Namespace", "Period", "Region", "Stat"})
_Compute = Callable[[Sequence[float]], float]
_VALUES: Final[Mapping[str, _Compute]] = {
    "AVG": lambda values: math.fsum(values) / len(values),
    "DATAPOINT_COUNT": len,
    "FIRST": lambda values: values[0],
    "LAST": lambda values: values[-1],
    "MAX": max,
    "MIN": min,
    "SUM": math.fsum,
}


def check_label(label: str) -> None:
    """Refuse what is not known. Raises ValidationException."""
    for match in _dynamic.finditer(label):
        word = match[1]
        if word not in _VALUES and word != _LABEL and not _is_property(word):
            raise invalid(messages.unsupported(name=f"{match[0]} in labels"))


def check_timezone(timezone: str | None) -> None:
    """Refuse what is no time zone; no label that is known shows times. Raises as above."""
    if timezone is not None and _is_timezone(timezone) is None:
        raise invalid(messages.timezone(value=timezone))


def labelled(label: str, series: Series, default: str) -> str:
    """The label of a series.

    Args:
        label: as it was sent and checked.
        series: the series.
        default: its label if none was sent.
    """
    return _dynamic.sub(lambda match: _text_of(match[1], series, default), label)


def is_dynamic(label: str) -> bool:
    """Whether a label has facts of the series."""
    return _dynamic.search(label) is not None


def _is_property(word: str) -> bool:
    name = _name_of(word)
    return name is not None and (name in _PROPERTIES or name.startswith(_DIMENSION))


def _name_of(word: str) -> str | None:
    match = _property_of(word)
    return None if match is None else match[1] or match[2] or ""


def _text_of(word: str, series: Series, default: str) -> str:
    if word == _LABEL:
        return default
    name = _name_of(word)
    if name is not None:
        return series.properties.get(name, "")
    values = [*series.values.values()]
    return f"{_VALUES[word](values):.15g}" if values else "--"
