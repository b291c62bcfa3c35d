"""The setting that says at which servers Kinesis data streams are: `ARN=URL`."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import parse_qsl, urlsplit

import msgspec

from hashrange.settings.kinds import Kind
from hashrange.settings.webhooks import AlarmSettings

_SEPARATOR: Final = ";"
_FORM: Final = "ARN=URL"
_ENDPOINTS_MAX: Final = 100
_PARAMETERS: Final = frozenset({"credentials", "profile"})
_is_endpoint: Final = partial(
    re.fullmatch,
    r"(arn:[a-z-]{1,20}:kinesis:(?:[a-z0-9-]{1,30}|\*):(?:[0-9]{12}|\*):stream/[a-zA-Z0-9_.*-]{1,128})"
    r"=(https?://[!-~]{1,2000})",
)


class StreamEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A server that has Kinesis data streams.

    Attributes:
        pattern: of the ARNs of its streams; `*` stands for any characters.
        url: without a path.
        credentials: a file of keys in AWS's form; None for keys that no server verifies.
        profile: the section of that file.
    """

    pattern: str
    url: str
    credentials: Path | None = None
    profile: str = "default"


def stream_endpoints(text: str | None) -> tuple[StreamEndpoint, ...]:
    """The servers in a text. Raises ValueError, whose text says what is expected."""
    given = filter(None, map(str.strip, (text or "").split(_SEPARATOR)))
    found = tuple(map(_endpoint, given))
    if len(found) > _ENDPOINTS_MAX:
        raise ValueError(f"at most {_ENDPOINTS_MAX} endpoints")
    if len({each.pattern for each in found}) < len(found):
        raise ValueError(f"{_FORM}, each ARN once")
    return found


def endpoint_of(endpoints: Sequence[StreamEndpoint], arn: str) -> StreamEndpoint | None:
    """The first server whose pattern an ARN has; None if there is none."""
    return next((each for each in endpoints if fnmatchcase(arn, each.pattern)), None)


def _endpoint(text: str) -> StreamEndpoint:
    match = _is_endpoint(text)
    if match is None:
        raise ValueError(
            f"{_FORM}, where ARN is such as arn:aws:kinesis:eu-west-1:*:stream/* and URL such as "
            "https://kinesis.eu-west-1.amazonaws.com"
        )
    arn, given = match[1], match[2]
    expected = (
        f"a URL of a host without a path behind {arn}=, with the parameters credentials and "
        "profile at most: keys do not belong on a command line"
    )
    try:
        url = urlsplit(given)
        is_plain = url.hostname and url.port != 0 and "@" not in url.netloc and not url.fragment
        parameters = dict(parse_qsl(url.query, strict_parsing=True)) if url.query else {}
    except ValueError as error:
        raise ValueError(expected) from error
    if not is_plain or url.path not in {"", "/"} or parameters.keys() - _PARAMETERS:
        raise ValueError(expected)
    file = parameters.get("credentials")
    if file is None and "profile" in parameters:
        raise ValueError(f"credentials=FILE with profile= behind {arn}=")
    return StreamEndpoint(
        pattern=arn,
        url=f"{url.scheme}://{url.netloc}",
        credentials=None if file is None else Path(file).expanduser(),
        profile=parameters.get("profile", "default"),
    )


def _checked(text: str) -> str:
    stream_endpoints(text)
    return text


class KinesisSettings(AlarmSettings, frozen=True, kw_only=True):
    """A part of the settings of a server."""

    kinesis_endpoint: Annotated[
        str | None,
        Kind(form=_FORM, parse=_checked, separator=_SEPARATOR),
        "The server, or AWS, that has Kinesis data streams: a pattern of their ARNs, in which * "
        "stands for any characters, and a URL, with the parameters credentials=FILE and "
        "profile=NAME. Tables can have these streams as destinations. May be repeated; or several "
        "with semicolons between them: docs/kinesis.md.",
    ] = None

    @property
    def stream_endpoints(self) -> tuple[StreamEndpoint, ...]:
        """The servers of that setting."""
        return stream_endpoints(self.kinesis_endpoint)
