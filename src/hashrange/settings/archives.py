"""Rules of the setting that archives expired items: `TABLE=BUCKET/PREFIX`, or `TABLE=off`."""

import re
from functools import partial
from typing import Final
from urllib.parse import parse_qsl

import msgspec

from hashrange.settings.rules import is_table

ARCHIVE_SEPARATOR: Final = ";"
ARCHIVE_FORM: Final = "TABLE=BUCKET[/PREFIX][?class=CLASS&days=DAYS] | TABLE=off"
CLASSES: Final = ("STANDARD", "STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR")
"""Classes of S3 whose objects can be read at once."""
_ARCHIVES_MAX: Final = 1000
_DAYS_MAX: Final = 36_500
_OFF: Final = "off"
_is_place: Final = partial(
    re.fullmatch, r"[A-Za-z0-9][A-Za-z0-9._-]+(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*"
)
_is_days: Final = partial(re.fullmatch, r"[1-9][0-9]{0,5}")


class ArchiveRule(msgspec.Struct, frozen=True, kw_only=True):
    """The archive of the tables of one name.

    Attributes:
        table: their name.
        bucket: that gets the objects; None if the archive ends.
        prefix: of their keys, without a slash at the end.
        storage_class: of objects in S3; None for that of the bucket.
        days: after which objects are deleted; None for never.
    """

    table: str
    bucket: str | None
    prefix: str = ""
    storage_class: str | None = None
    days: int | None = None


def archive_rules(text: str) -> tuple[ArchiveRule, ...]:
    """The rules in a text. Raises ValueError, whose text says what is expected."""
    found = tuple(map(_rule, filter(None, map(str.strip, text.split(ARCHIVE_SEPARATOR)))))
    if not 0 < len(found) <= _ARCHIVES_MAX:
        raise ValueError(f"one to {_ARCHIVES_MAX} archives")
    if len({each.table for each in found}) < len(found):
        raise ValueError(f"{ARCHIVE_FORM}, each table once")
    return found


def _rule(text: str) -> ArchiveRule:
    table, _, rest = text.partition("=")
    place, mark, query = rest.partition("?")
    if is_table(table) is None:
        raise ValueError(f"{ARCHIVE_FORM}, where TABLE is the name of a table")
    if rest == _OFF:
        return ArchiveRule(table=table, bucket=None)
    try:
        parameters = dict(parse_qsl(query, strict_parsing=True)) if mark else {}
    except ValueError as error:
        raise ValueError(ARCHIVE_FORM) from error
    if _is_place(place) is None or set(parameters) - {"class", "days"}:
        raise ValueError(f"{ARCHIVE_FORM}, where PREFIX has letters, digits, . _ - and /")
    storage_class, days = parameters.get("class"), parameters.get("days")
    if storage_class is not None and storage_class not in CLASSES:
        raise ValueError(f"class={' | '.join(CLASSES)}")
    if days is not None and (_is_days(days) is None or int(days) > _DAYS_MAX):
        raise ValueError(f"days=1 to {_DAYS_MAX}")
    bucket, _, prefix = place.partition("/")
    return ArchiveRule(
        table=table,
        bucket=bucket,
        prefix=prefix,
        storage_class=storage_class,
        days=None if days is None else int(days),
    )
