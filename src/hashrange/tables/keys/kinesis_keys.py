"""The keys of Kinesis data streams, a space of table 0: rows of `tables.kinesis`.

    0x01 scope NUL name             the definition of a stream
    0x02 number (4)                 a deleted stream, whose rows are to be deleted
    0x03                            the number (4) of the next stream
    0x04 number (4), shard (4)      the end of a shard: `tables.kinesis.records`
    0x05 number (4), shard (4), record (8)
                                    a record
    0x06 table (4), shard (4)       the next record (8) of that shard of a table's change log to put
                                    into the destination of the table

The scope is account ':' region if each has streams of its own, and empty if not.
"""

from struct import Struct
from typing import Final

from hashrange.tables.keys import key_spaces
from hashrange.tables.keys.key_ranges import Range, prefix_range
from hashrange.tables.keys.log_keys import record_key

_PREFIX: Final = key_spaces.KINESIS.prefix()
_STREAM, _DELETED, _SEQUENCE, _END, _RECORD, _POSITION = (
    _PREFIX + bytes((kind,)) for kind in range(1, 7)
)
_SEPARATOR: Final = "\0"
_number: Final = Struct(">I").pack
_shard: Final = Struct(">II").pack
_NUMBER_BYTES: Final = 4
_RECORDS_END: Final = 2**64 - 1


def stream_key(scope: str, name: str) -> bytes:
    """The key of the definition of a stream."""
    return _STREAM + f"{scope}{_SEPARATOR}{name}".encode()


def streams_range(scope: str | None) -> Range:
    """The definitions of a scope in the order of their names; of all scopes if None."""
    return prefix_range(_STREAM + ("" if scope is None else scope + _SEPARATOR).encode())


def streams_after(scope: str, name: str) -> Range:
    """The definitions of a scope behind a name."""
    return stream_key(scope, name) + b"\0", streams_range(scope)[1]


def deleted_key(number: int) -> bytes:
    """The key of a deleted stream."""
    return _DELETED + _number(number)


def deleted_range() -> Range:
    """All deleted streams."""
    return prefix_range(_DELETED)


def sequence_key() -> bytes:
    """The key of the number of the next stream."""
    return _SEQUENCE


def end_key(stream: int, shard: int) -> bytes:
    """The key of the end of a shard, which owns its records."""
    return _END + _shard(stream, shard)


def ends_range(stream: int | None = None) -> Range:
    """The ends of the shards of a stream, or of all."""
    return prefix_range(_END + (b"" if stream is None else _number(stream)))


def address_of(key: bytes) -> tuple[int, int]:
    """The numbers of stream and shard in the key of an end or of a record.

    Of a position: those of table and shard.
    """
    begin = len(_END)
    stream, shard = key[begin : begin + _NUMBER_BYTES], key[begin + _NUMBER_BYTES :][:_NUMBER_BYTES]
    return int.from_bytes(stream), int.from_bytes(shard)


def records_key(stream: int, shard: int) -> bytes:
    """The prefix of the keys of the records of a shard."""
    return _RECORD + _shard(stream, shard)


def records_range(stream: int, shard: int, start: int = 0, end: int = _RECORDS_END) -> Range:
    """The records of a shard with numbers from `start`, below `end`."""
    log = records_key(stream, shard)
    return record_key(log, start), record_key(log, end)


def all_records_range(stream: int | None = None) -> Range:
    """The records of all shards of a stream, or of all streams."""
    return prefix_range(_RECORD + (b"" if stream is None else _number(stream)))


def position_key(table: int, shard: int) -> bytes:
    """The key of the position in a shard of a table's change log."""
    return _POSITION + _shard(table, shard)


def destination_positions_range(table: int | None = None) -> Range:
    """The positions in all shards of a table, or of all tables."""
    return prefix_range(_POSITION + (b"" if table is None else _number(table)))


def has_address(key: bytes, *, is_record: bool) -> bool:
    """Whether a key of an end, or of a record, has the length of one."""
    return len(key) == len(_END) + 2 * _NUMBER_BYTES + (2 * _NUMBER_BYTES if is_record else 0)
