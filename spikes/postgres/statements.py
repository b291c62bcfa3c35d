"""The statements of the engine: one that reads, one that scans, one that writes all or nothing.

Every value is an array parameter, so that the number of texts is the number of shapes of a write
and each is prepared once for a connection.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

SCHEMA = """
CREATE SEQUENCE IF NOT EXISTS versions AS int8 CACHE 64;
-- v is NULL in a tombstone: a key known to be absent, which has a version to compare.
CREATE TABLE IF NOT EXISTS kv (k bytea NOT NULL, v bytea, ver int8 NOT NULL, PRIMARY KEY (k))
    WITH (fillfactor = 90);
CREATE TABLE IF NOT EXISTS counters
    (k bytea NOT NULL, shard int2 NOT NULL, n int8 NOT NULL, PRIMARY KEY (k, shard))
    WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS logs (log bytea NOT NULL, last int8 NOT NULL, PRIMARY KEY (log))
    WITH (fillfactor = 50);
ALTER TABLE kv ALTER COLUMN v SET STORAGE EXTERNAL;
"""

_FENCES_BROKEN = """(SELECT count(*) FROM kv JOIN unnest(${0}::bytea[], ${1}::int8[]) AS x(k, ver)
    ON kv.k = x.k AND kv.ver = x.ver) <> cardinality(${0})"""

READ = f"""
SELECT k, v FROM kv WHERE k = ANY($1::bytea[]) AND v IS NOT NULL
UNION ALL
SELECT k, int8send(sum(n)::int8) FROM counters WHERE k = ANY($1::bytea[]) GROUP BY k
UNION ALL
SELECT NULL, NULL WHERE {_FENCES_BROKEN.format(2, 3)}
"""  # noqa: S608 - made of constants
"""Keys, fence keys, fence versions → key and value of what there is; NULLs for a broken fence."""

READ_VERSIONS = f"""
SELECT k, v, ver FROM kv WHERE k = ANY($1::bytea[])
UNION ALL
SELECT NULL, NULL, NULL WHERE {_FENCES_BROKEN.format(2, 3)}
"""  # noqa: S608 - made of constants
"""As READ, of what a write compares: with versions and tombstones, without counters."""


@lru_cache
def scan(*, reverse: bool) -> str:
    """Start, end, rows looked at, bytes_max, fence keys, fence versions → as READ.

    The running sum cuts the page in the server, but the rows that it looks at must be bounded: they
    are all read before the sum is known.
    """
    order = "DESC" if reverse else "ASC"
    return f"""
WITH page AS (
    (SELECT k, v FROM kv WHERE k >= $1 AND k < $2 AND v IS NOT NULL ORDER BY k {order} LIMIT $3)
    UNION ALL
    (SELECT k, int8send(sum(n)::int8) FROM counters WHERE k >= $1 AND k < $2
        GROUP BY k ORDER BY k {order} LIMIT $3)
), summed AS (
    SELECT k, v, sum(octet_length(v)) OVER (ORDER BY k {order} ROWS UNBOUNDED PRECEDING) AS total
    FROM page
)
SELECT NULL::bytea AS k, NULL::bytea AS v WHERE {_FENCES_BROKEN.format(5, 6)}
UNION ALL
(SELECT k, v FROM summed WHERE total - octet_length(v) < $4 ORDER BY k {order} LIMIT $3)
"""  # noqa: S608 - made of constants


@dataclass
class Batch:
    """The parameters of one write, by what is to be done with them. All lists are sorted by key."""

    fences: list[tuple[bytes, int]] = field(default_factory=list)
    """Key and version: must not change until the commit."""
    locked: list[tuple[bytes, int]] = field(default_factory=list)
    """Key and version, compared before anything is written; every writer locks in one order."""
    updated: list[tuple[bytes, bytes, int]] = field(default_factory=list)
    deleted: list[tuple[bytes, int]] = field(default_factory=list)
    inserted: list[tuple[bytes, bytes | None]] = field(default_factory=list)
    """Keys that were absent; without a value if they stay so."""
    put_blind: list[tuple[bytes, bytes]] = field(default_factory=list)
    deleted_blind: list[tuple[bytes]] = field(default_factory=list)
    logs: list[tuple[bytes, int]] = field(default_factory=list)
    """Log and how many records it gets."""
    appended: list[tuple[bytes, int, bytes]] = field(default_factory=list)
    """Log, how many come after this one, record."""
    added: list[tuple[bytes, int, int]] = field(default_factory=list)
    """Counter, shard, amount."""

    @property
    def changes_something(self) -> bool:
        """Whether anything is left but to compare: a delete of what is absent changes nothing."""
        puts = any(value is not None for _, value in self.inserted)
        rest = (self.updated, self.deleted, self.put_blind, self.deleted_blind, self.appended)
        return puts or any(rest) or bool(self.added)

    def statement(self) -> tuple[str, list[list[object]]]:
        """The text, and the arrays to pass to it."""
        parts = [name for name in _PARTS if getattr(self, name)]
        columns = [zip(*getattr(self, name), strict=True) for name in parts]
        return write(tuple(parts)), [list(column) for part in columns for column in part]


# Name of the part → types of its columns and its text. {0}, {1}, … are its parameters, {rows} all
# of them together, {before} that all comparisons of the parts before it hold.
_PARTS: dict[str, tuple[Sequence[str], str]] = {
    "fences": (
        ("bytea", "int8"),
        """SELECT 1 FROM kv JOIN {rows} AS x(k, ver) ON kv.k = x.k AND kv.ver = x.ver
        WHERE {before} ORDER BY kv.k FOR SHARE OF kv""",
    ),
    "locked": (
        ("bytea", "int8"),
        """SELECT 1 FROM kv JOIN {rows} AS x(k, ver) ON kv.k = x.k AND kv.ver = x.ver
        WHERE {before} ORDER BY kv.k FOR UPDATE OF kv""",
    ),
    "updated": (
        ("bytea", "bytea", "int8"),
        """UPDATE kv SET v = x.v, ver = nextval('versions') FROM {rows} AS x(k, v, ver)
        WHERE kv.k = x.k AND kv.ver = x.ver AND {before} RETURNING 1""",
    ),
    "deleted": (
        ("bytea", "int8"),
        """DELETE FROM kv USING {rows} AS x(k, ver)
        WHERE kv.k = x.k AND kv.ver = x.ver AND {before} RETURNING 1""",
    ),
    "inserted": (
        ("bytea", "bytea"),
        """INSERT INTO kv SELECT x.k, x.v, nextval('versions') FROM {rows} AS x(k, v)
        WHERE {before} ORDER BY x.k ON CONFLICT (k) DO NOTHING RETURNING 1""",
    ),
    "put_blind": (
        ("bytea", "bytea"),
        """INSERT INTO kv SELECT x.k, x.v, nextval('versions') FROM {rows} AS x(k, v)
        WHERE {before} ON CONFLICT (k) DO UPDATE SET v = excluded.v, ver = excluded.ver""",
    ),
    "deleted_blind": (
        ("bytea",),
        """DELETE FROM kv WHERE k = ANY({0}) AND {before}
    ), uncounted AS (DELETE FROM counters WHERE k = ANY({0}) AND {before}""",
    ),
    "logs": (
        ("bytea", "int8"),
        """INSERT INTO logs SELECT x.log, x.n FROM {rows} AS x(log, n)
        WHERE {before} ORDER BY x.log
        ON CONFLICT (log) DO UPDATE SET last = logs.last + excluded.last
        RETURNING log, last""",
    ),
    "appended": (
        ("bytea", "int8", "bytea"),
        """INSERT INTO kv
        SELECT x.log || int8send(logs.last - x.later), x.record, nextval('versions')
        FROM {rows} AS x(log, later, record) JOIN bumped AS logs ON logs.log = x.log""",
    ),
    "added": (
        ("bytea", "int2", "int8"),
        """INSERT INTO counters SELECT x.k, x.shard, x.n FROM {rows} AS x(k, shard, n)
        WHERE {before} ORDER BY x.k
        ON CONFLICT (k, shard) DO UPDATE SET n = counters.n + excluded.n""",
    ),
}
_COMPARED = ("fences", "locked", "updated", "deleted", "inserted")


@lru_cache
def write(parts: tuple[str, ...]) -> str:
    """One statement of these parts, in their order; an error, and so no effect, if one is short.

    A part begins once the one before it is complete, so that rows are locked in one order by all,
    and a lost comparison never waits for a busy counter.
    """
    texts: list[str] = []
    before = ["true"]
    parameter = 0
    for name in parts:
        types, text = _PARTS[name]
        arrays = [f"${parameter + index + 1}::{kind}[]" for index, kind in enumerate(types)]
        parameter += len(types)
        rows = f"unnest({', '.join(arrays)})"
        filled = text.format(*arrays, rows=rows, before=" AND ".join(before))
        texts.append(f"{'bumped' if name == 'logs' else name} AS ({filled})")
        if name in _COMPARED:
            before.append(f"(SELECT count(*) FROM {name}) = cardinality({arrays[0]})")  # noqa: S608
    complete = " AND ".join(before)
    # A statement can fail on purpose only by a fault of arithmetic.
    return f"WITH {', '.join(texts)} SELECT 1 / (CASE WHEN {complete} THEN 1 ELSE 0 END)"
