"""The SQL of the engine: a statement that reads, one that scans, and one that writes atomically.

All values are array parameters, so there is one text for each combination of parts of a write, and
each is prepared once for a connection. docs/internals/adr/0004 lists features of PostgreSQL that
are avoided. CockroachDB refuses several mutations of one table in a statement, as `write` has.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

_COUNT: Final = "coalesce(array_length({}, 1), 0)"
# 8 bytes, big-endian, of a number.
BYTES_OF: Final = "decode(lpad(to_hex({}), 16, '0'), 'hex')"
# The clock of the database, so the clocks of servers may differ. It is read after the rows of all
# logs of the write are locked, so that no later write reads an earlier time.
NOW_MS: Final = "(extract(epoch FROM clock_timestamp()) * 1000)::int8"
READ_CLOCK: Final = f"SELECT {NOW_MS} AS now"

_FENCES_BROKEN: Final = (
    """(SELECT count(*) FROM kv JOIN unnest(${0}::bytea[], ${1}::int8[]) AS x(k, ver)
    ON kv.k = x.k AND kv.ver = x.ver) <> """  # noqa: S608 - made of constants
    + _COUNT.format("${0}")
)

READ: Final = f"""
SELECT k, v, NULL::int8 AS n FROM kv WHERE k = ANY($1::bytea[]) AND v IS NOT NULL
UNION ALL
SELECT k, NULL, sum(n)::int8 FROM counters WHERE k = ANY($1::bytea[]) GROUP BY k
UNION ALL
SELECT NULL, NULL, NULL WHERE {_FENCES_BROKEN.format(2, 3)}
"""  # noqa: S608 - made of constants
"""Keys, fence keys, fence versions → key, value, number of a counter; a row of NULLs if a fence is
stale."""

READ_VERSIONS: Final = f"""
SELECT k, v, ver FROM kv WHERE k = ANY($1::bytea[])
UNION ALL
SELECT NULL, NULL, NULL WHERE {_FENCES_BROKEN.format(2, 3)}
"""  # noqa: S608 - made of constants
"""As READ, for writes: key, value, version, with tombstones and without counters."""

FIND_TOMBSTONES: Final = """
WITH page AS (SELECT k, v IS NULL AS gone FROM kv WHERE k > $1 ORDER BY k LIMIT $2)
SELECT k, gone FROM page WHERE gone
UNION ALL
(SELECT k, false FROM page ORDER BY k DESC LIMIT 1)
"""
"""Key, number of rows → the tombstones among so many rows after the key, and the last row."""

PRIMARY: Final = """
SELECT ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int8,
    (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::int8
"""
"""→ the fields of a `lease.Primary`."""

REPLICATION: Final = """
SELECT coalesce(current_setting('synchronous_standby_names', true), ''),
    current_setting('synchronous_commit')
"""

CONFIRM_LEASE: Final = f"""
WITH server(timeline, started) AS ({PRIMARY}), own AS (
    INSERT INTO logs SELECT $1::bytea, timeline, {NOW_MS} FROM server
    ON CONFLICT (log) DO UPDATE SET last = excluded.last, time = excluded.time RETURNING log
)
SELECT timeline, started, (SELECT count(*) FROM logs
    WHERE log >= $2 AND log < $3 AND log <> $1 AND last <> timeline) AS elsewhere
FROM server, own
"""  # noqa: S608 - made of constants
"""Key of the own row, start and end of the rows of all servers → primary, other servers whose rows
are of other timelines."""

DELETE_LEASES: Final = f"""
DELETE FROM logs WHERE log >= $1 AND log < $2 AND (last <> $3 OR time < {NOW_MS} - 3600000)
"""  # noqa: S608 - made of constants
"""Start, end, timeline: rows of other timelines, and of servers that have not come for an hour."""

DELETE_TOMBSTONES: Final = "DELETE FROM kv WHERE k = ANY($1::bytea[]) AND v IS NULL RETURNING 1"


@lru_cache
def scan(*, reverse: bool) -> str:
    """Starts, ends, most rows read and bytes_max of ranges, fence keys, fence versions → as READ.

    Each row has the number of its range, from 1; rows of a range are in order. The running sum ends
    a page within the database. It is computed over all rows that are read, so their number must be
    bounded.
    """
    order = "DESC" if reverse else "ASC"
    return f"""
SELECT NULL::int8 AS number, NULL::bytea AS k, NULL::bytea AS v, NULL::int8 AS n
WHERE {_FENCES_BROKEN.format(5, 6)}
UNION ALL
SELECT range.number, page.k, page.v, page.n
FROM unnest($1::bytea[], $2::bytea[], $3::int8[], $4::int8[])
    WITH ORDINALITY AS range(first, past, rows, bytes, number),
LATERAL (
    SELECT k, v, n FROM (
        SELECT k, v, n, size, sum(size) OVER (ORDER BY k {order} ROWS UNBOUNDED PRECEDING) AS total
        FROM (
            (SELECT k, v, NULL::int8 AS n, octet_length(v) AS size FROM kv
                WHERE k >= range.first AND k < range.past AND v IS NOT NULL
                ORDER BY k {order} LIMIT range.rows)
            UNION ALL
            (SELECT k, NULL, sum(n)::int8, 8 FROM counters
                WHERE k >= range.first AND k < range.past
                GROUP BY k ORDER BY k {order} LIMIT range.rows)
        ) AS sized
    ) AS summed
    WHERE total - size < range.bytes ORDER BY k {order} LIMIT range.rows
) AS page
"""  # noqa: S608 - made of constants


# Name of the part → types of its columns, and its text. {0}, {1}, … are its parameters, {rows} is
# the table of all of them, {before} the condition that all earlier comparisons held, {version} the
# new version of all rows.
PARTS: Final[dict[str, tuple[Sequence[str], str]]] = {
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
    "inserted": (
        ("bytea", "bytea"),
        """INSERT INTO kv SELECT x.k, x.v, {version} FROM {rows} AS x(k, v)
        WHERE {before} ORDER BY x.k ON CONFLICT (k) DO NOTHING RETURNING k""",
    ),
    "updated": (
        ("bytea", "bytea", "int8"),
        """UPDATE kv SET v = x.v, ver = {version} FROM {rows} AS x(k, v, ver)
        WHERE kv.k = x.k AND kv.ver = x.ver AND {before} RETURNING kv.k""",
    ),
    "deleted": (
        ("bytea", "int8"),
        """DELETE FROM kv USING {rows} AS x(k, ver)
        WHERE kv.k = x.k AND kv.ver = x.ver AND {before} RETURNING kv.k""",
    ),
    "put_blind": (
        ("bytea", "bytea"),
        """INSERT INTO kv SELECT x.k, x.v, {version} FROM {rows} AS x(k, v)
        WHERE {before} ON CONFLICT (k) DO UPDATE SET v = excluded.v, ver = excluded.ver""",
    ),
    "deleted_blind": (
        ("bytea",),
        """DELETE FROM kv WHERE k = ANY({0}) AND {before}
    ), uncounted AS (DELETE FROM counters WHERE k = ANY({0}) AND {before}""",
    ),
    "logs": (
        ("bytea", "int8"),
        f"""INSERT INTO logs SELECT x.log, x.n, stamp.time FROM {{rows}} AS x(log, n), (
            SELECT greatest(coalesce(max(locked.time), 0), {NOW_MS}) AS time FROM (
                SELECT time FROM logs WHERE log = ANY({{0}}) AND {{before}} ORDER BY log FOR UPDATE
            ) AS locked
        ) AS stamp WHERE {{before}} ORDER BY x.log
        ON CONFLICT (log) DO UPDATE
            SET last = logs.last + excluded.last, time = greatest(logs.time, excluded.time)
        RETURNING log, last, time""",  # noqa: S608 - made of constants
    ),
    "appended": (
        ("bytea", "int8", "bytea"),
        f"""INSERT INTO kv
        SELECT x.log || {BYTES_OF.format("logs.last - x.later")},
            {BYTES_OF.format("(SELECT max(time) FROM bumped)")} || x.record, {{version}}
        FROM {{rows}} AS x(log, later, record) JOIN bumped AS logs ON logs.log = x.log""",  # noqa: S608 - made of constants
    ),
    "added": (
        ("bytea", "int2", "int8"),
        """INSERT INTO counters SELECT x.k, x.shard, x.n FROM {rows} AS x(k, shard, n)
        WHERE {before} ORDER BY x.k
        ON CONFLICT (k, shard) DO UPDATE SET n = counters.n + excluded.n""",
    ),
}
_COMPARED: Final = ("fences", "locked", "inserted", "updated", "deleted")
_ACTING: Final = ("inserted", "updated", "deleted")
"""The parts that compare and change rows at the same time."""


@lru_cache(maxsize=1024)
def write(parts: tuple[str, ...], *, apart: bool = False) -> str:
    """One statement of these parts, in this order → `done`, and the `written` keys.

    Its last parameter is the new version. `done` is 1, or 0 without effect after a conflict.

    A part begins after the one before it is complete. So all writers lock rows in the same order, a
    conflict never waits for a busy counter, and a conflict in the first part that changes rows
    changes nothing. If a later part finds a conflict, the statement must fail to undo the earlier
    part, which the database logs.

    If rows may be written `apart`, only the fences are compared for all of them. Then `done` is 1,
    and `written` are the keys of those whose comparison held, or NULL if all are.
    """
    texts: list[str] = []
    before = ["true"]
    acted, counts = ["0"], ["0"]
    parameter = 0
    version = f"${sum(len(PARTS[name][0]) for name in parts) + 1}::int8"
    for name in parts:
        types, text = PARTS[name]
        arrays = [f"${parameter + index + 1}::{kind}[]" for index, kind in enumerate(types)]
        parameter += len(types)
        rows = f"unnest({', '.join(arrays)})"
        filled = text.format(*arrays, rows=rows, before=" AND ".join(before), version=version)
        texts.append(f"{'bumped' if name == 'logs' else name} AS ({filled})")
        if name in (("fences",) if apart else _COMPARED):
            count = _COUNT.format(arrays[0])
            before.append(f"(SELECT count(*) FROM {name}) = {count}")  # noqa: S608 - constants
        if name in _ACTING:
            acted.append(f"(SELECT count(*) FROM {name})")  # noqa: S608 - constants
            counts.append(_COUNT.format(arrays[0]))
    if apart:
        tables = (f"TABLE {name}" for name in parts if name in _ACTING)
        written = " UNION ALL ".join(tables)
        is_part = f"{' + '.join(acted)} <> {' + '.join(counts)}"
        answer = f"1 AS done, CASE WHEN {is_part} THEN ARRAY({written}) END AS written"
    else:
        complete = " AND ".join(before)
        # The only way for plain SQL to fail on purpose is a division by zero.
        fail_if_acted = f"0 / (CASE WHEN {' + '.join(acted)} = 0 THEN 1 ELSE 0 END)"
        answer = f"CASE WHEN {complete} THEN 1 ELSE {fail_if_acted} END AS done"
    # Selected for the statements of which no part has it: a parameter must be in the text.
    return f"WITH {', '.join(texts)} SELECT {answer}, {version} AS version"
