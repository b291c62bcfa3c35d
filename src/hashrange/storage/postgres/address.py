"""The address of a database, from the URL in the settings."""

import re
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from hashrange.storage.engine import StorageOpenError

SCHEMA_DEFAULT: Final = "hashrange"
OWN: Final = frozenset(("schema", "read_lease"))
"""Parameters that are not libpq's."""
READ_LEASE_SECONDS_MIN: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseAddress:
    """A database, and the schema that holds the tables."""

    url: str
    """For libpq, without the parameters of hashrange's own."""
    schema: str
    shown: str
    """The URL without user, password and parameters, for messages."""
    read_lease: float | None = None
    """Seconds of the read lease; 0 for none, None for the default."""

    @staticmethod
    def with_schema(url: str, schema: str) -> str:
        """The URL of another schema in the same database."""
        parts = urlsplit(url)
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        query = urlencode([*(pair for pair in pairs if pair[0] != "schema"), ("schema", schema)])
        return urlunsplit(parts._replace(query=query))

    @classmethod
    def of(cls, url: str) -> Self:
        """Parse a URL such as `postgresql://user:password@host:port/database?schema=hashrange`.

        Other parameters, such as `sslmode=require`, are kept for libpq. Raises StorageOpenError:
        the read lease is no number of seconds.
        """
        parts = urlsplit(url)
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        schema = dict(pairs).get("schema") or SCHEMA_DEFAULT
        query = urlencode([pair for pair in pairs if pair[0] not in OWN])
        hosts = parts.netloc.rpartition("@")[2]
        shown = f"{parts.scheme}://{hosts}{parts.path}"
        return cls(
            url=urlunsplit(parts._replace(query=query)),
            schema=schema,
            shown=shown,
            read_lease=_read_lease(dict(pairs).get("read_lease")),
        )


def _read_lease(text: str | None) -> float | None:
    if text is None:
        return None
    if not re.fullmatch(r"\d{1,4}(\.\d{1,3})?", text) or 0 < float(text) < READ_LEASE_SECONDS_MIN:
        raise StorageOpenError(
            f"read_lease={text}: a number of seconds from {READ_LEASE_SECONDS_MIN:g}, or 0 for none"
        )
    return float(text)
