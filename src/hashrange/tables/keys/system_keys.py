"""The keys of table 0, the system: what belongs to no table, or outlives it.

Keys are stored, so the layout is never changed. After the number 0 (4 bytes, as all integers
big-endian) comes the byte of a space:

    0x01 CATALOG    name of a table; in a namespace of its own account ':' region ':' name
                                                         its catalog entry
    0x02 SEQUENCE                                        the number of the next table
    0x03 DROPPED    table number (4)                     a table whose rows are to be deleted
    0x04 TOKEN      period (4), namespace ':' ClientRequestToken; the namespace is account ':'
                    region, or nothing                   a transaction that is complete
    0x05 TRIGGER    table number (4), log number (4), name of a trigger
                                                         the number (8) of the next record of that
                                                         log that it has not delivered
                    0 (4), name of a trigger ':' name that it knows its table by
                                                         since when (8, ms) it reads that table
    0x06 LEASE      0x01, name of some work              which server does it:
    `tables.catalog.leases`
                    0x02, that name                      how often that one said that it lives (8)
                    0x04, that name                      the database session of that one
                    0x03, digest (16) of a place             the generation (8) of the newest backup
                                                         there: `backups.directories.claim_rows`
    0x07 CHANGES                                         a counter of changes of the catalog
                    0x01                                 how often (8) provisioned units were added
    0x08 FORMAT                                          the format of converted rows (4): 2
    0x09 SECRET, 0x0A IDENTITIES, 0x0B SCALING, 0x0C BACKUP, 0x0D JOB, 0x0E DAX,
    0x0F REPLICATION, 0x10 AUDIT, 0x11 WITNESS, 0x12 KINESIS, 0x13 METRICS,
    0x14 ALARMS
                                                         `tables.catalog.secrets`, `.._keys` of the
                                                         others

A new space has a module of its own, as `identity_keys`, its line above, and its row in
`key_spaces`.
"""

from hashlib import blake2b
from struct import Struct
from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range, prefix_range

_CATALOG: Final = key_spaces.CATALOG.prefix()
_SEQUENCE: Final = key_spaces.SEQUENCE.prefix()
_DROPPED: Final = key_spaces.DROPPED.prefix()
_TOKEN: Final = key_spaces.TOKEN.prefix()
_TRIGGER: Final = key_spaces.TRIGGER.prefix()
_LEASE: Final = key_spaces.LEASE.prefix()
_CHANGES: Final = key_spaces.CHANGES.prefix()
_FORMAT: Final = key_spaces.FORMAT.prefix()
_SECRET: Final = key_spaces.SECRET.prefix()
_PLACE_BYTES: Final = 16
_u32: Final = Struct(">I").pack


def catalog_key(name: str) -> bytes:
    """The key of the catalog entry of a table."""
    return _CATALOG + name.encode()


def name_of_catalog_key(key: bytes) -> str:
    """The inverse of `catalog_key`."""
    return key[len(_CATALOG) :].decode()


def catalog_range(prefix: str = "") -> Range:
    """The catalog entries of names with a prefix, in the order of the names' UTF-8 bytes."""
    return prefix_range(_CATALOG + prefix.encode())


def sequence_key() -> bytes:
    """The key of the number of the next table."""
    return _SEQUENCE


def dropped_key(number: int) -> bytes:
    """The key of a dropped table, whose rows are to be deleted."""
    return _DROPPED + _u32(number)


def dropped_range() -> Range:
    """All dropped tables whose rows are to be deleted."""
    return key_spaces.DROPPED.range()


def token_key(period: int, token: str) -> bytes:
    """The key of the token of a transaction that was completed in a period of time."""
    return _TOKEN + _u32(period) + token.encode()


def tokens_range(before: int | None = None) -> Range:
    """Tokens of all periods, or of those before one."""
    whole = key_spaces.TOKEN.range()
    return whole if before is None else (whole[0], _TOKEN + _u32(before))


def trigger_begun_key(trigger: str, table: str) -> bytes:
    """The key of the time since which a trigger reads a table; names of triggers have no colon."""
    return _TRIGGER + _u32(key_spaces.SYSTEM) + f"{trigger}:{table}".encode()


def trigger_key(number: int, log: int, trigger: str) -> bytes:
    """The key of the position of a trigger in a shard of a table's log."""
    return _TRIGGER + _u32(number) + _u32(log) + trigger.encode()


def trigger_place(key: bytes) -> tuple[int, int]:
    """The number of the table and of the log in a `trigger_key`."""
    place = key[len(_CATALOG) :]
    return int.from_bytes(place[:4], "big"), int.from_bytes(place[4:8], "big")


def triggers_range(*, positions: bool = False) -> Range:
    """All rows of triggers, or only their positions."""
    start, end = key_spaces.TRIGGER.range()
    return (_TRIGGER + _u32(1), end) if positions else (start, end)


def lease_key(work: str) -> bytes:
    """The key of the lease of some work: its owner and term."""
    return _LEASE + b"\x01" + work.encode()


def beat_key(work: str) -> bytes:
    """The key of the heartbeat counter of a lease."""
    return _LEASE + b"\x02" + work.encode()


def lease_session_key(work: str) -> bytes:
    """The key of the database session of the owner of a lease."""
    return _LEASE + b"\x04" + work.encode()


def backup_claim_key(place: str) -> bytes:
    """The key of the newest backup of the database at a place."""
    digest = blake2b(place.encode(), digest_size=_PLACE_BYTES).digest()
    return _LEASE + b"\x03" + digest


def changes_key() -> bytes:
    """The key of the counter of catalog changes."""
    return _CHANGES


def growths_key() -> bytes:
    """The key of how often provisioned units were added to tables: see `account_units`."""
    return _CHANGES + b"\x01"


def format_key() -> bytes:
    """The key of the format of all rows."""
    return _FORMAT


def secret_key() -> bytes:
    """The key of the secret of all servers of the engine."""
    return _SECRET
