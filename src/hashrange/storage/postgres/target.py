"""A database as its URL names it; the password in it is shown to nobody."""

from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

SCHEMA_DEFAULT: Final = "hashrange"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where to connect, and the schema in which the tables are.

    `url` is as libpq reads it, without our own parameter `schema`; `shown` is for people.
    """

    url: str
    schema: str
    shown: str

    @staticmethod
    def with_schema(url: str, schema: str) -> str:
        """The same database, another schema."""
        parts = urlsplit(url)
        asked = parse_qsl(parts.query, keep_blank_values=True)
        query = urlencode([*(pair for pair in asked if pair[0] != "schema"), ("schema", schema)])
        return urlunsplit(parts._replace(query=query))

    @classmethod
    def of(cls, url: str) -> Self:
        """Read `postgresql://user:password@host:port/database?schema=hashrange&sslmode=require`."""
        parts = urlsplit(url)
        asked = parse_qsl(parts.query, keep_blank_values=True)
        schema = dict(asked).get("schema") or SCHEMA_DEFAULT
        query = urlencode([pair for pair in asked if pair[0] != "schema"])
        hosts = parts.netloc.rpartition("@")[2]
        shown = f"{parts.scheme}://{hosts}{parts.path}"
        return cls(url=urlunsplit(parts._replace(query=query)), schema=schema, shown=shown)
