"""The settings of what watches a server: who reads its figures, and the log of its requests."""

import re
from functools import partial
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

from hashrange.settings.kinds import FILE, Kind
from hashrange.settings.regions import RegionSettings

_is_token: Final = partial(re.fullmatch, "[!-~]{16,512}")


def _token(text: str) -> str:
    if not _is_token(text):
        raise ValueError("16 to 512 characters of ASCII, without spaces")
    return text


def _collector(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query:
        raise ValueError("a URL as http://127.0.0.1:4318")
    return text


_COLLECTOR: Final = Kind(form="URL", parse=_collector)
_TOKEN: Final = Kind(form="TEXT", parse=_token, secret=True)


class MonitoringSettings(RegionSettings, frozen=True, kw_only=True):
    """A part of the settings of a server."""

    access_log: Annotated[
        Path | None,
        FILE,
        "File that gets a line of JSON for each request; programs that rotate logs may rename it. "
        "Not set: no such log.",
    ] = None
    metrics_token: Annotated[
        str | None,
        _TOKEN,
        "Token: who reads /metrics and /top.json must send it, as `Authorization: Bearer TOKEN`; "
        "`hashrange top` and `doctor` take it from the variable. Not set: whoever reaches the "
        "server may read them.",
    ] = None
    traces_to: Annotated[
        str | None,
        _COLLECTOR,
        "Collector of OpenTelemetry that gets a span for each request, by OTLP over HTTP; "
        "variables OTEL_… set the rest. It needs the extra otel. Not set: no traces.",
    ] = None
