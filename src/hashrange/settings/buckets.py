"""Rules of the setting that says where buckets of S3 lie: `BUCKET=DIRECTORY` or `BUCKET=URL`."""

import re
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import msgspec

from hashrange.limits.backups import BUCKETS_MAX

BUCKET_SEPARATOR: Final = ";"
BUCKET_FORM: Final = "BUCKET=DIRECTORY | BUCKET=URL"
_SCHEMES: Final = ("http", "https", "s3")
_PARAMETERS: Final = frozenset({"region", "credentials", "profile", "owner", "anonymous"})
_is_bucket: Final = partial(re.fullmatch, r"[a-zA-Z0-9][a-zA-Z0-9._-]{0,253}[a-zA-Z0-9]")
_is_account: Final = partial(re.fullmatch, r"[0-9]{12}")


class S3Location(msgspec.Struct, frozen=True, kw_only=True):
    """A bucket behind an API of S3.

    Attributes:
        bucket: its name there.
        endpoint: the URL of the API; None for that of AWS.
        region: None for that of the environment.
        credentials: a file of keys in AWS's form; None for those of the environment.
        profile: the section of that file.
        anonymous: requests are not signed.
    """

    bucket: str
    endpoint: str | None = None
    region: str | None = None
    credentials: Path | None = None
    profile: str = "default"
    anonymous: bool = False


class BucketLocation(msgspec.Struct, frozen=True, kw_only=True):
    """Where a bucket lies.

    Attributes:
        name: by which requests name it.
        location: a directory, or a bucket behind an API of S3.
        owner: the account that has it; None for every account.
    """

    name: str
    location: Path | S3Location
    owner: str | None = None


def bucket_locations(text: str) -> tuple[BucketLocation, ...]:
    """The locations in a text. Raises ValueError, whose text says what is expected."""
    found = tuple(map(_location, filter(None, map(str.strip, text.split(BUCKET_SEPARATOR)))))
    if not 0 < len(found) <= BUCKETS_MAX:
        raise ValueError(f"one to {BUCKETS_MAX} buckets")
    if len({each.name for each in found}) < len(found):
        raise ValueError(f"{BUCKET_FORM}, each bucket once")
    return found


def _location(text: str) -> BucketLocation:
    name, _, where = text.partition("=")
    if where and not _is_bucket(name):
        raise ValueError(
            f"{BUCKET_FORM}, where BUCKET has 2 to 255 letters, digits, dots, hyphens and "
            "underscores, and begins and ends with a letter or a digit"
        )
    if not where or "\0" in where:
        raise ValueError(f"{BUCKET_FORM}, where URL is s3://… or https://…")
    if "://" in where:
        return _of_url(name, where)
    try:
        return BucketLocation(name=name, location=Path(where).expanduser())
    except RuntimeError as error:
        raise ValueError("in the home of a user of this machine") from error


def _of_url(name: str, text: str) -> BucketLocation:
    expected = (
        "s3://BUCKET or https://HOST[/BUCKET], with the parameters region, credentials, profile, "
        "owner and anonymous at most: keys do not belong on a command line"
    )
    try:
        url = urlsplit(text)
        port = url.port
        parameters = dict(parse_qsl(url.query, strict_parsing=True)) if url.query else {}
    except ValueError as error:
        raise ValueError(expected) from error
    bucket = _bucket_in(url) or name
    is_plain = url.scheme in _SCHEMES and url.hostname and "@" not in url.netloc
    if not is_plain or url.fragment or not _is_bucket(bucket) or set(parameters) - _PARAMETERS:
        raise ValueError(expected)
    if url.scheme == "s3" and (port is not None or url.path.strip("/")):
        raise ValueError(expected)
    if parameters.get("anonymous", "true") != "true":
        raise ValueError("anonymous=true")
    owner = parameters.get("owner")
    if owner is not None and not _is_account(owner):
        raise ValueError("owner=ACCOUNT, of 12 digits")
    file = parameters.get("credentials")
    location = S3Location(
        bucket=bucket,
        endpoint=None if url.scheme == "s3" else f"{url.scheme}://{url.netloc}",
        region=parameters.get("region"),
        credentials=None if file is None else Path(file).expanduser(),
        profile=parameters.get("profile", "default"),
        anonymous="anonymous" in parameters,
    )
    return BucketLocation(name=name, location=location, owner=owner)


def _bucket_in(url: SplitResult) -> str:
    """The name of the bucket in a URL; empty if it has none."""
    return url.netloc if url.scheme == "s3" else unquote(url.path.strip("/"))
