"""The targets of `hashrange replicate-to`, by the beginnings of their names."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import urlsplit

import click
from click.core import ParameterSource

from hashrange.cli.endpoints import Address, address_of
from hashrange.cli.refusals import Misuse

if TYPE_CHECKING:
    from hashrange.tools.sinks.file_locations import BucketLocation
    from hashrange.tools.sinks.targets import Target

_HEADER: Final = re.compile(r"[A-Za-z0-9-]{1,100}", re.ASCII)
_MARK_BYTES: Final = 4

Options: TypeAlias = Mapping[str, Any]


def target_of(text: str, address: Address, options: Options) -> "Target":
    """The target that a text names. Raises Misuse.

    Args:
        text: of the operator.
        address: of the tables.
        options: of the command.
    """
    for beginning, made in _TARGETS.items():
        if text.startswith(beginning):
            _refuse_others(text, made, options)
            return made(text, address, options)
    raise Misuse(f"{text} begins with none of {' '.join(_TARGETS)}")


def _tables(text: str, address: Address, options: Options) -> "Target":
    from hashrange.clock import SystemClock
    from hashrange.tools.sinks.tables import Tables

    at = address_of(_rest(text), options["target_profile"])
    if at == address:
        raise Misuse(f"{text}: these are the tables themselves")
    return Tables(at.url, at.credentials, SystemClock())


def _files(text: str, _address: Address, options: Options) -> "Target":
    from hashrange.clock import SystemClock
    from hashrange.tools.scanning.expressions import InputError
    from hashrange.tools.sinks.file_forms import FORMS
    from hashrange.tools.sinks.file_locations import DirectoryLocation
    from hashrange.tools.sinks.files import Files

    where = _rest(text)
    location = _bucket(where) if "://" in where else DirectoryLocation(Path(where))
    try:
        return Files(location, FORMS[options["form"]](), SystemClock())
    except InputError as error:
        raise Misuse(str(error)) from error


def _bucket(text: str) -> "BucketLocation":
    """The bucket of a URL, and the prefix of keys in its path. Raises Misuse."""
    from hashrange.backups.objects.bucket import BucketError
    from hashrange.backups.objects.s3 import S3Bucket
    from hashrange.clock import SystemClock
    from hashrange.optional_packages import MissingPackageError
    from hashrange.settings.buckets import S3Location, bucket_locations
    from hashrange.tools.sinks.file_locations import BucketLocation

    url = urlsplit(text)
    bucket, _, prefix = url.path.strip("/").partition("/")
    if url.scheme == "s3":
        bucket, prefix = url.netloc, url.path.strip("/")
    path = "" if url.scheme == "s3" else f"/{bucket}"
    try:
        (found,) = bucket_locations(f"{bucket}={url._replace(path=path).geturl()}")
        assert isinstance(found.location, S3Location), "it has a URL"
        opened = S3Bucket(bucket, found.location)
    except (ValueError, BucketError, MissingPackageError) as error:
        raise Misuse(f"{text}: {error}") from error
    mark = SystemClock().random_bytes(_MARK_BYTES).hex()
    return BucketLocation(opened, bucket, f"{prefix}/" if prefix else "", mark)


def _duckdb(text: str, _address: Address, options: Options) -> "Target":
    from hashrange.clock import SystemClock
    from hashrange.tools.scanning.expressions import InputError
    from hashrange.tools.sinks.duckdb_file import DuckDbFile

    try:
        return DuckDbFile(Path(_rest(text)), options["publish"], SystemClock())
    except InputError as error:
        raise Misuse(str(error)) from error


def _postgres(text: str, _address: Address, _options: Options) -> "Target":
    from hashrange.tools.sinks.postgres import Postgres

    return Postgres(text)


def _search(text: str, _address: Address, options: Options) -> "Target":
    from hashrange.tools.sinks.opensearch import OpenSearch

    return OpenSearch(_checked(_rest(text)), _headers(options["headers"]))


def _kafka(text: str, _address: Address, options: Options) -> "Target":
    from hashrange.tools.sinks.kafka import Kafka

    return Kafka(_checked(_rest(text)), _headers(options["headers"]))


def _webhook(text: str, _address: Address, options: Options) -> "Target":
    from hashrange.tools.sinks.webhook import Webhook

    return Webhook(_checked(text), _headers(options["headers"]))


_TARGETS: Final[Mapping[str, Callable[[str, Address, Options], "Target"]]] = {
    "http://": _webhook,
    "https://": _webhook,
    "tables:": _tables,
    "files:": _files,
    "duckdb:": _duckdb,
    "postgresql://": _postgres,
    "opensearch:": _search,
    "kafka:": _kafka,
}


_OPTIONS: Final[Mapping[str, tuple[str, set[object]]]] = {
    "headers": ("--header", {_webhook, _search, _kafka}),
    "target_profile": ("--target-profile", {_tables}),
    "form": ("--form", {_files}),
    "publish": ("--publish", {_duckdb}),
    "state": ("--state", {_webhook, _tables, _files, _search, _kafka}),
}
"""The options that not all targets have, and who has them."""


def _refuse_others(text: str, made: object, options: Options) -> None:
    """Raises Misuse: an option is given that the target does not have."""
    source = click.get_current_context().get_parameter_source
    for option, (flag, having) in _OPTIONS.items():
        is_given = option in options and source(option) is ParameterSource.COMMANDLINE
        if is_given and made not in having:
            raise Misuse(f"{flag} cannot be combined with {text}")


def _rest(text: str) -> str:
    """The text behind the name of the kind. Raises Misuse."""
    _, _, rest = text.partition(":")
    if not rest:
        raise Misuse(f"{text}: what follows is missing")
    return rest


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0 and url.isascii() and url.isprintable()
    except ValueError as error:
        raise Misuse(f"{url!r}: {error}") from error
    if not usable or " " in url or parts.username is not None:
        raise Misuse(f"{url!r} is not a URL of host, port and path")
    return url


def _headers(texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, colon, value = text.partition(":")
        if not colon or _HEADER.fullmatch(name) is None or not value.strip().isprintable():
            raise Misuse(f"--header: {name!r} is not the name of a header and a colon")
        found[name] = value.strip()
    return found
