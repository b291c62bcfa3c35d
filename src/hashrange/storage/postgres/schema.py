"""The tables in the database: creates, checks and converts them."""

from typing import Any, Final

import asyncpg

from hashrange.storage.engine import StorageOpenError
from hashrange.storage.postgres.statements import NOW_MS

FORMAT_VERSION: Final = 4
"""Stored in the table `format`. A higher version is refused, a lower one is converted."""
TABLES_VERSIONS: Final = frozenset((2, 3, FORMAT_VERSION))
"""Versions whose tables are the same, and whose rows this build reads."""
POSTGRES_VERSION_MIN: Final = 14
KEY_BYTES_MAX: Final = 2_600
"""Bounded by index rows of PostgreSQL, which have at most 2,704 bytes."""
_TRIES_MAX: Final = 5
TABLES: Final = ("kv", "counters", "logs", "format")

_MAKE: Final = """
CREATE SEQUENCE IF NOT EXISTS versions CACHE 64;
CREATE TABLE IF NOT EXISTS kv
    (k bytea NOT NULL, v bytea, ver int8 NOT NULL, PRIMARY KEY (k{order}));
CREATE TABLE IF NOT EXISTS counters
    (k bytea NOT NULL, shard int2 NOT NULL, n int8 NOT NULL, PRIMARY KEY (k{order}, shard{order}));
CREATE TABLE IF NOT EXISTS logs
    (log bytea NOT NULL, last int8 NOT NULL, time int8 NOT NULL, PRIMARY KEY (log{order}));
CREATE TABLE IF NOT EXISTS format (version int8 NOT NULL, PRIMARY KEY (version{order}));
INSERT INTO format (version) VALUES ({version}) ON CONFLICT (version) DO NOTHING;
"""
"""In `kv`, `v` is NULL in a tombstone: a key known to be absent, with a version to compare. In
`logs`, `last` is the number of the last record and `time` its stamp."""

# From format 1, which had no stamps. Builds of that format refuse the schema from now on. Rows are
# converted later, before this server accepts requests. The stamps of a log must not decrease.
_CONVERT: Final = f"""
ALTER TABLE logs ADD COLUMN IF NOT EXISTS time int8 NOT NULL DEFAULT 0;
UPDATE logs SET time = greatest(time, {NOW_MS});
"""  # noqa: S608 - made of constants
_RAISE_VERSION: Final = f"""
INSERT INTO format (version) VALUES ({FORMAT_VERSION}) ON CONFLICT (version) DO NOTHING;
"""  # noqa: S608 - made of constants

_FOUND: Final = "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = $1"
_RIGHTS: Final = """
SELECT t.name || ' (' || p.name || ')' AS lacking
FROM unnest($1::text[]) AS t(name), unnest($2::text[]) AS p(name)
WHERE NOT has_table_privilege(t.name, p.name)
UNION ALL
SELECT 'versions (USAGE)' WHERE NOT has_sequence_privilege('versions', 'USAGE')
"""

# The planner does not know the length of array parameters, and a plan made for an empty table
# stays until the next ANALYZE, so the plan that suits large tables is forced.
TUNING: Final = {
    "default_transaction_isolation": "read committed",
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "jit": "off",
    # A statement that waits for a lock ends with its client.
    "client_connection_check_interval": "5s",
}
TUNE: Final = """
SELECT set_config(x.name, x.value, false)
FROM unnest($1::text[], $2::text[]) AS x(name, value) JOIN pg_catalog.pg_settings AS s
    ON s.name = x.name
WHERE x.name <> 'synchronous_commit' OR x.value = 'off' OR s.setting = 'off'
"""
"""Sets those parameters that the server has. A stricter `synchronous_commit` is kept."""


async def prepare(connection: Any, schema: str, shown: str, *, makes: bool) -> None:
    """Create the tables if they are missing and `makes` is true, else check them.

    Raises StorageOpenError: an old server, data of a newer version, missing tables or privileges.
    """
    product = await connection.fetchval("SELECT version()")
    major = connection.get_server_version().major
    is_plain = product.startswith("PostgreSQL") and "-YB-" not in product
    if is_plain and major < POSTGRES_VERSION_MIN:
        raise StorageOpenError(
            f"{shown} is PostgreSQL {major}; hashrange needs {POSTGRES_VERSION_MIN} or newer"
        )
    found = {row["tablename"] for row in await connection.fetch(_FOUND, schema)}
    if not found:
        if not makes:
            raise StorageOpenError(f"schema {schema} of {shown} holds no data of hashrange")
        # Without ASC, YugabyteDB distributes keys by hash; PostgreSQL does not accept it here.
        order = " ASC" if "-YB-" in product else ""
        await _make(connection, schema, shown, order)
    elif not found.issuperset(TABLES):
        missing = ", ".join(sorted(set(TABLES) - found))
        raise StorageOpenError(f"schema {schema} of {shown} is damaged, or not ours: no {missing}")
    await _check(connection, schema, shown, makes=makes)


async def drop_schema(connection: Any, schema: str) -> None:
    """Drop a schema with all its tables, if it exists."""
    await connection.execute(f"DROP SCHEMA IF EXISTS {quoted(schema)} CASCADE")


def quoted(name: str) -> str:
    """A name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


async def _make(connection: Any, schema: str, shown: str, order: str) -> None:
    exists = "SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = $1"
    for tries in range(_TRIES_MAX):
        try:
            if not await connection.fetchval(exists, schema):
                await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}")
            # Statements that are sent in one string run in one transaction.
            await connection.execute(_MAKE.format(order=order, version=FORMAT_VERSION))
        except asyncpg.InsufficientPrivilegeError as error:
            raise StorageOpenError(
                f"cannot make the tables in schema {schema} of {shown}: {error}; the user needs "
                "CREATE on the database, or on a schema of this name"
            ) from error
        except (asyncpg.UniqueViolationError, asyncpg.DuplicateObjectError):
            # Another server is creating the tables at the same time.
            if tries == _TRIES_MAX - 1:
                raise
        else:
            return


async def _check(connection: Any, schema: str, shown: str, *, makes: bool) -> None:
    rights = ["SELECT", "INSERT", "UPDATE", "DELETE"]
    try:
        lacking = await connection.fetch(_RIGHTS, list(TABLES), rights)
        version = await connection.fetchval("SELECT max(version) FROM format")
    except (asyncpg.InsufficientPrivilegeError, asyncpg.UndefinedTableError) as error:
        raise StorageOpenError(f"schema {schema} of {shown} may not be used: {error}") from error
    if lacking:
        names = ", ".join(row["lacking"] for row in lacking)
        raise StorageOpenError(f"the user lacks rights in schema {schema} of {shown}: {names}")
    if version is not None and version < FORMAT_VERSION and makes:
        convert = "" if version in TABLES_VERSIONS else _CONVERT
        await connection.execute(convert + _RAISE_VERSION)
        version = FORMAT_VERSION
    if version is not None and version < min(TABLES_VERSIONS):
        raise StorageOpenError(
            f"schema {schema} of {shown} has format version {version}: stop all servers, then "
            f"start one of this build on it, which converts it to version {FORMAT_VERSION}"
        )
    if version is None or version > FORMAT_VERSION:
        raise StorageOpenError(
            f"schema {schema} of {shown} has format version {version}, this build knows up to "
            f"{FORMAT_VERSION}: open it with a newer build"
        )
