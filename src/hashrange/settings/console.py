"""The settings of the console, and the rules of the endpoints that it can reach."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Final
from urllib.parse import urlsplit

from hashrange.limits.server import CONSOLE_ENDPOINTS_MAX
from hashrange.settings.kinds import Console, Kind, one_of
from hashrange.settings.stream_endpoints import KinesisSettings

_SEPARATOR: Final = ";"
_FORM: Final = "NAME=URL"
_is_name: Final = partial(re.fullmatch, "[A-Za-z0-9][A-Za-z0-9._-]{0,62}")


def console_endpoints(text: str) -> dict[str, str]:
    """The URLs in a text, by name. Raises ValueError, whose text says what is expected."""
    found: dict[str, str] = {}
    for each in filter(None, map(str.strip, text.split(_SEPARATOR))):
        name, _, url = each.partition("=")
        if not _is_name(name) or name in found:
            raise ValueError(f"{_FORM}, each name once, of letters, digits, dots and hyphens")
        found[name] = _checked(url)
    if not 0 < len(found) <= CONSOLE_ENDPOINTS_MAX:
        raise ValueError(f"one to {CONSOLE_ENDPOINTS_MAX} endpoints")
    return found


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        is_whole = False
    else:
        is_whole = is_whole and parts.path in {"", "/"} and "@" not in parts.netloc
        is_whole = is_whole and not parts.query and not parts.fragment
    if not is_whole:
        raise ValueError(f"{_FORM}, where URL is such as http://127.0.0.1:8001")
    return url.removesuffix("/")


def _parsed(text: str) -> str:
    console_endpoints(text)
    return text


ENDPOINTS: Final = Kind(form=_FORM, parse=_parsed, separator=_SEPARATOR)


class ConsoleSettings(KinesisSettings, frozen=True, kw_only=True):
    """A part of the settings of a server."""

    console: Annotated[
        Console,
        one_of(Console),
        "The console, pages for browsers at /_console/: docs/console.md. read-only refuses its "
        "writes, not those of SDKs; auto = on if the server listens on a loopback address, or with "
        "--auth required, and off otherwise.",
    ] = Console.AUTO
    console_endpoint: Annotated[
        str | None,
        ENDPOINTS,
        "Another endpoint that the console can show. The server sends its requests, signed with "
        "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of its environment. May be repeated; or "
        "several with semicolons between them.",
    ] = None

    origins: Mapping[str, str] = {}
    """The option, variable or file that each setting came from, by name; the rest are defaults."""

    @property
    def console_endpoints(self) -> dict[str, str]:
        """The URLs of `console_endpoint`, by name."""
        return {} if self.console_endpoint is None else console_endpoints(self.console_endpoint)
