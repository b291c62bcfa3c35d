"""The address of a database, from the URL in the settings."""

from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

SCHEMA_DEFAULT: Final = "hashrange"


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseAddress:
    """A database, and the schema that holds the tables."""

    url: str
    """For libpq, without the parameter `schema`, which is hashrange's own."""
    schema: str
    shown: str
    """The URL without user, password and parameters, for messages."""

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

        Other parameters, such as `sslmode=require`, are kept for libpq.
        """
        parts = urlsplit(url)
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        schema = dict(pairs).get("schema") or SCHEMA_DEFAULT
        query = urlencode([pair for pair in pairs if pair[0] != "schema"])
        hosts = parts.netloc.rpartition("@")[2]
        shown = f"{parts.scheme}://{hosts}{parts.path}"
        return cls(url=urlunsplit(parts._replace(query=query)), schema=schema, shown=shown)
