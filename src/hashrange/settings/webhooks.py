"""The setting that names the webhooks of alarms, and its rules."""

import re
from functools import partial
from typing import Annotated, Final
from urllib.parse import urlsplit

from hashrange.settings.kinds import Kind
from hashrange.settings.monitoring import MonitoringSettings

_SEPARATOR: Final = ";"
_WEBHOOKS_MAX: Final = 100
_is_webhook: Final = partial(re.fullmatch, r"(arn:[!-~]{1,1000}?)=(https?://[!-~]{1,2000})")


def webhooks_of(text: str | None) -> dict[str, str]:
    """The URLs by their ARNs. Raises ValueError, whose text says what is expected."""
    found: dict[str, str] = {}
    for each in filter(None, map(str.strip, (text or "").split(_SEPARATOR))):
        match = _is_webhook(each)
        if match is None:
            raise ValueError("arn:…=http://HOST/PATH or arn:…=https://HOST/PATH")
        arn, url = match[1], match[2]
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError as error:
            raise ValueError(f"a URL behind {arn}=: {error}") from error
        if not host or parts.username is not None:
            raise ValueError(f"a URL with a host, and without a password, behind {arn}=")
        if arn in found:
            raise ValueError(f"{arn} once")
        found[arn] = url
    if len(found) > _WEBHOOKS_MAX:
        raise ValueError(f"at most {_WEBHOOKS_MAX} webhooks")
    return found


def _checked(text: str) -> str:
    webhooks_of(text)
    return text


class AlarmSettings(MonitoringSettings, frozen=True, kw_only=True):
    """A part of the settings of a server."""

    alarm_webhook: Annotated[
        str | None,
        Kind(form="ARN=URL", parse=_checked, separator=_SEPARATOR),
        "The webhook for an action of CloudWatch alarms, or for events of clusters of DAX: the ARN "
        "of an SNS topic, and a URL, which gets notifications as SNS sends them. May be repeated; "
        "or several with semicolons between them: docs/alarms.md.",
    ] = None
