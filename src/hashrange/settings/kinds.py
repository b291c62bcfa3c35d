"""Kinds of settings: parsers of their texts, and the choices of some."""

import re
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from hashrange.limits.server import REPLICA_LAG_MS_MAX
from hashrange.settings.archives import ARCHIVE_FORM, ARCHIVE_SEPARATOR, archive_rules
from hashrange.settings.buckets import BUCKET_FORM, BUCKET_SEPARATOR, bucket_locations
from hashrange.settings.peers import PEER_FORM, PEER_SEPARATOR, peer_addresses
from hashrange.settings.rules import (
    CUT_FORM,
    FAULT_FORM,
    LATENCY_FORM,
    SEPARATOR,
    cut_rules,
    duration_ms,
    fault_rules,
    interval_ms,
    is_region,
    is_table,
    kept_backups,
    latency_rules,
)

VARIABLE_PREFIX: Final = "HASHRANGE_"
SQLITE: Final = "sqlite"
DATABASE_URLS: Final = ("postgresql://", "postgres://")
LOCAL: Final = "local"
"""In a list of origins: those of this machine."""
ANY: Final = "*"
"""In a list of origins or hosts: all."""
_DIGITS_MAX: Final = 12

_is_origin: Final = partial(re.fullmatch, r"https?://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")
_is_host: Final = partial(re.fullmatch, r"(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*")


class Namespaces(StrEnum):
    """Which tables a caller sees."""

    SHARED = "shared"
    """All tables: one namespace for all credentials and regions."""
    SEPARATE = "separate"
    """The tables of the caller's account and region."""


class Auth(StrEnum):
    """Whether the signatures of requests are verified."""

    OFF = "off"
    REQUIRED = "required"


class Tls(StrEnum):
    """Whether the server makes a certificate."""

    OFF = "off"
    SELF_SIGNED = "self-signed"


class Throttle(StrEnum):
    """Whether requests are throttled."""

    OFF = "off"
    ON = "on"


class Durability(StrEnum):
    """When a write is acknowledged."""

    FULL = "full"
    """Once it is on disk."""
    RELAXED = "relaxed"
    """Before it is on disk: a power cut may lose the newest writes, never a part of a write and
    never an older write without the newer ones. On SQLite a killed process loses none; on
    PostgreSQL, where a commit is acknowledged before its log record leaves the database's memory,
    a crash or kill of the database loses the newest as a power cut does."""


class VerifyReads(StrEnum):
    """When the checksum of an item that is read is compared."""

    OFF = "off"
    FIRST = "first"
    """When a process reads it for the first time, from a plain directory."""
    ALWAYS = "always"


class Console(StrEnum):
    """Whether there is a console, and what it may do."""

    AUTO = "auto"
    """On if the server listens on a loopback address, or with `--auth required`; else off."""
    ON = "on"
    READ_ONLY = "read-only"
    OFF = "off"


class HotKeys(StrEnum):
    """Whether the most requested partition keys are shown."""

    AUTO = "auto"
    """Only if the server listens on a loopback address."""
    ON = "on"
    OFF = "off"


class LogLevel(StrEnum):
    """The lowest level that is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(StrEnum):
    """The form of a line in the log."""

    AUTO = "auto"
    """Text at a terminal, JSON elsewhere."""
    TEXT = "text"
    JSON = "json"


ANONYMOUS_ACCOUNT: Final = "000000000000"
"""The account of credentials that name none."""


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """A parser of the text of a setting.

    Attributes:
        form: describes valid values in the reference.
        parse: raises ValueError, whose text says what is expected.
        switch: the option has no value on the command line.
        bare: the value of the option without one, and of true in a file; empty if it must have one.
        separator: the option may be repeated; its texts are joined by this. Empty if it may not.
        secret: there is no option, since others can read the command line of a process; and errors
            do not repeat the text.
    """

    form: str
    parse: Callable[[str], object]
    switch: bool = False
    bare: str = ""
    separator: str = ""
    secret: bool = False

    def takes(self, value: object) -> bool:
        """Whether a value of a file has a type that it may have."""
        if isinstance(value, bool):
            return self.switch or bool(self.bare)
        return isinstance(value, str | int) and not self.switch


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A setting: its names, its default and its parser."""

    name: str
    default: object
    sentence: str
    kind: Kind

    @property
    def flag(self) -> str:
        """The option of the command line, for example `--idle-seconds-max`."""
        return "--" + self.name.replace("_", "-")

    @property
    def default_text(self) -> str:
        """The default as an operator would write it."""
        if self.default is None:
            return "none"
        return str(self.default).lower() if self.kind.switch else str(self.default)

    @property
    def variable(self) -> str:
        """The environment variable, for example `HASHRANGE_IDLE_SECONDS_MAX`."""
        return VARIABLE_PREFIX + self.name.upper()


def _text(text: str) -> str:
    if not text.strip():
        raise ValueError("a text that is not blank")
    if "\0" in text:
        raise ValueError("a text without NUL")
    return text


def _path(text: str) -> Path:
    try:
        return Path(_text(text)).expanduser()
    except RuntimeError as error:
        raise ValueError("in the home of a user of this machine") from error


def _switch(text: str) -> bool:
    match text.lower():
        case "true" | "1" | "yes" | "on":
            return True
        case "false" | "0" | "no" | "off":
            return False
        case _:
            raise ValueError("true or false")


def _engine(text: str) -> str:
    if text != SQLITE and not text.startswith(DATABASE_URLS):
        raise ValueError(f"{SQLITE} or a URL that begins with {DATABASE_URLS[0]}")
    return text


def _list(text: str) -> list[str]:
    return [each.strip().lower() for each in text.split(",")]


def _origins(text: str) -> str:
    found = [each.rstrip("/") for each in _list(text)]
    if not all(each in {LOCAL, ANY} or _is_origin(each) for each in found):
        raise ValueError("local, * or a list of origins as https://app.example:3000")
    return ",".join(found)


def _account(text: str) -> str:
    if not (text.isascii() and text.isdecimal() and len(text) == len(ANONYMOUS_ACCOUNT)):
        raise ValueError("an account of 12 digits")
    return text


def _hosts(text: str) -> str:
    found = [each.rstrip(".") for each in _list(text)]
    if not all(each == ANY or _is_host(each) for each in found):
        raise ValueError("* or a list of host names, without ports, as db.example,*.internal")
    return ",".join(found)


def _faults(text: str) -> str:
    fault_rules(text)
    return text


def _latencies(text: str) -> str:
    latency_rules(text)
    return text


def _buckets(text: str) -> str:
    bucket_locations(text)
    return text


def _archives(text: str) -> str:
    archive_rules(text)
    return text


def _lag(text: str) -> str:
    if not 0 < duration_ms(text) <= REPLICA_LAG_MS_MAX:
        raise ValueError(f"a duration above 0, of at most {REPLICA_LAG_MS_MAX} ms")
    return text


def _interval(text: str) -> str:
    interval_ms(text)
    return text


def _kept(text: str) -> str:
    kept_backups(text)
    return text


def _cuts(text: str) -> str:
    cut_rules(text)
    return text


def _tables(text: str) -> str:
    found = [each.strip() for each in text.split(",")]
    if found != [ANY] and not all(map(is_table, found)):
        raise ValueError("* or a list of names of tables, as orders,users")
    return ",".join(found)


def _regions(text: str) -> str:
    found = [each.strip() for each in text.split(",")]
    if not all(map(is_region, found)):
        raise ValueError("a list of regions, as us-east-1,eu-west-1")
    return ",".join(dict.fromkeys(found))


def _peers(text: str) -> str:
    peer_addresses(text)
    return text


def whole(least: int, most: int) -> Kind:
    """A whole number from `least` to `most`, both inclusive."""

    def parse(text: str) -> int:
        # int() alone would also read "8_000", " 8000" and the digits of other scripts.
        plain = text.isascii() and text.isdecimal() and len(text) <= _DIGITS_MAX
        if not (plain and least <= int(text) <= most):
            raise ValueError(f"a whole number from {least} to {most}")
        return int(text)

    return Kind(form=f"{least}..{most}", parse=parse)


def one_of(choices: type[StrEnum]) -> Kind:
    """One of the values of an enum, in any case."""

    def parse(text: str) -> StrEnum:
        if text.lower() not in set(choices):
            raise ValueError(" or ".join(choices))
        return choices(text.lower())

    return Kind(form=" | ".join(choices), parse=parse)


def _verify_reads(text: str) -> VerifyReads:
    """A choice; true and false are those of earlier versions, which compared always or never."""
    choices = {"true": VerifyReads.ALWAYS, "false": VerifyReads.OFF}
    try:
        return choices.get(text.lower()) or VerifyReads(text.lower())
    except ValueError as error:
        raise ValueError(" or ".join(VerifyReads)) from error


SECRET: Final = Kind(form="TEXT", parse=_text, secret=True)
TEXT: Final = Kind(form="TEXT", parse=_text)
ACCOUNT: Final = Kind(form="12 digits", parse=_account)
ARCHIVES: Final = Kind(form=ARCHIVE_FORM, parse=_archives, separator=ARCHIVE_SEPARATOR)
BUCKETS: Final = Kind(form=BUCKET_FORM, parse=_buckets, separator=BUCKET_SEPARATOR)
DIRECTORY: Final = Kind(form="DIRECTORY", parse=_path)
ENGINE: Final = Kind(form=f"postgresql://… | {SQLITE}", parse=_engine)
HOSTS: Final = Kind(form="NAMES", parse=_hosts)
ORIGINS: Final = Kind(form=f"{ANY} | https://… | {LOCAL}", parse=_origins)
FAULTS: Final = Kind(form=FAULT_FORM, parse=_faults, separator=SEPARATOR)
LATENCIES: Final = Kind(form=LATENCY_FORM, parse=_latencies, separator=SEPARATOR)
LAG: Final = Kind(form="MS | 200ms | 2s", parse=_lag)
CUTS: Final = Kind(form=CUT_FORM, parse=_cuts, separator=SEPARATOR)
REGIONS: Final = Kind(form="NAMES", parse=_regions)
PEERS: Final = Kind(form=PEER_FORM, parse=_peers, separator=PEER_SEPARATOR)
INTERVAL: Final = Kind(form="30m | 6h | 1d", parse=_interval)
KEPT: Final = Kind(form="all | last=N,daily=N,weekly=N,monthly=N", parse=_kept)
TABLES: Final = Kind(form=f"{ANY} | NAMES", parse=_tables)
FILE: Final = Kind(form="FILE", parse=_path)
SWITCH: Final = Kind(form="true | false", parse=_switch, switch=True)
VERIFY_READS: Final = Kind(
    form=" | ".join(VerifyReads), parse=_verify_reads, bare=VerifyReads.ALWAYS
)
