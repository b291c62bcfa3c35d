"""Ranges of keys: pairs (start, end) with start <= key < end; pages of them.

New rows may come behind the last page faster than pages are read, so nothing that works through a
range ends with an empty page: it ends with a page that is not full, or at an end that was noted.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Final, TypeAlias, assert_never

from hashrange.model.binary import decoded
from hashrange.model.values import AttributeValue, KeyOperator
from hashrange.storage.engine import Engine, Pair
from hashrange.tables.keys.ordering import NUMBER, grouped, ordered, type_of

Range: TypeAlias = tuple[bytes, bytes]
"""Start, inclusive, and end, exclusive."""


_BYTE_MAX: Final = 0xFF


def prefix_range(prefix: bytes) -> Range:
    """All keys that begin with `prefix`."""
    return prefix, key_after(prefix)


def key_after(key: bytes) -> bytes:
    """The first key that is greater than every key that begins with `key`.

    Every key has one, because no table has the number 2**32 - 1.
    """
    last = key[-1]
    if last < _BYTE_MAX:
        return key[:-1] + bytes((last + 1,))
    successor = _successor(key)
    assert successor, "a key begins with the number of a table"
    return successor


def _successor(data: bytes) -> bytes:
    """The first bytes greater than all that begin with `data`; empty if there are none."""
    rest = data.rstrip(b"\xff")
    return rest[:-1] + bytes((rest[-1] + 1,)) if rest else b""


def sort_range(prefix: bytes, operator: KeyOperator, operands: Sequence[AttributeValue]) -> Range:
    """The keys under `prefix` whose next ordered value meets a condition.

    Also correct if keys continue after that value, as those of index entries do.

    Args:
        prefix: the prefix of a partition, with the values before the one that is compared.
        operator: the operator of the key condition.
        operands: one value, for BETWEEN two (an empty range if the first is greater), all of the
            attribute's type; for begins_with a string or binary.
    """
    operand = operands[0]
    kind = prefix + type_of(operand)
    bound = prefix + ordered(operand)
    match operator:
        case "=":
            return prefix_range(bound)
        case "<" | "<=":
            return kind, bound if operator == "<" else key_after(bound)
        case ">":
            return key_after(bound), key_after(kind)
        case ">=":
            return bound, key_after(kind)
        case "BETWEEN":
            return bound, max(bound, key_after(prefix + ordered(operands[1])))
        case "begins_with":
            return bound, _end_of_beginning(prefix, operand)
        case _:  # pragma: no cover - the set is closed
            assert_never(operator)


def _end_of_beginning(prefix: bytes, operand: AttributeValue) -> bytes:
    """The encoding of the first value that is greater than all that begin with `operand`.

    It is not a byte prefix, since the last group of the operand is padded and marked. The successor
    of a string need not be UTF-8.
    """
    kind = type_of(operand)
    assert kind != NUMBER, "begins_with is for strings and binary"
    successor = _successor(operand["S"].encode() if "S" in operand else decoded(operand["B"]))
    return prefix + grouped(kind, successor) if successor else key_after(prefix + kind)


_PAGE_ROWS: Final = 5000
_PAGE_BYTES: Final = 4 * 1024 * 1024
_SMALL_ROWS: Final = 64
_SMALL_BYTES: Final = 256 * 1024


class SmallPages:
    """An engine that is read beside requests: they wait for the work on a page of `pairs`."""


async def pairs(engine: Engine, keys: Range, *, rows: int = _PAGE_ROWS) -> AsyncIterator[Pair]:
    """The pairs of a range in order; each page is consistent, the whole is not.

    Args:
        engine: holds them.
        keys: the range.
        rows: the most of a page.
    """
    (start, end), bytes_max = keys, _PAGE_BYTES
    if isinstance(engine, SmallPages):
        rows, bytes_max = min(rows, _SMALL_ROWS), _SMALL_BYTES
    while True:
        page = await engine.scan(start, end, limit=rows, bytes_max=bytes_max)
        for pair in page:
            yield pair
        if not is_full(page, rows=rows, bytes_max=bytes_max):
            return
        start = page[-1][0] + b"\x00"


def is_full(page: Sequence[Pair], *, rows: int, bytes_max: int) -> bool:
    """Whether a page that was read with these bounds may have ended before its range did."""
    return len(page) >= rows or sum([len(value) for _, value in page]) >= bytes_max


async def end_of(engine: Engine, keys: Range) -> bytes:
    """Behind the last key of a range that there is now; the start of the range if it is empty."""
    start, end = keys
    last = await engine.scan(start, end, limit=1, bytes_max=1, reverse=True)
    return last[0][0] + b"\x00" if last else start
