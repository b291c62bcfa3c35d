"""The protocol of engines: an ordered map of bytes with three methods.

An engine knows nothing of items, indexes or streams. Every write names its keys before it starts,
so there are no interactive transactions: the engine reads the keys, calls a pure function that
decides, and applies the changes. `hashrange.assembly.engines.trials` has a trial for each promise.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

import msgspec

T = TypeVar("T")

Pair: TypeAlias = tuple[bytes, bytes]
"""A key and its value."""

KEY_BYTES_MAX: Final = 4_700
"""The longest key of any engine; `tables.keys.key_lengths` proves that no item needs more."""

STAMP_BYTES: Final = 8
"""The bytes of the stamp that an engine puts before each record of a log."""

Fences: TypeAlias = Mapping[bytes, bytes]
"""Keys and the values that they must have when the operation takes effect."""

NO_FENCES: Fences = {}


class StaleFenceError(Exception):
    """A fence no longer holds; nothing was read or written. Plan again and retry."""


class StorageError(Exception):
    """The operation failed, or its outcome is unknown: disk full, I/O error.

    The engine goes on serving once it can; a caller answers InternalServerError.
    """


class DamagedError(StorageError):
    """Stored rows cannot be read, or are not as they were stored. It was reported."""


OnDamage: TypeAlias = Callable[[bytes, str], None]
"""Takes the reports of an engine: a key at which rows cannot be read, and why."""


def ignore_damage(_key: bytes, _reason: str) -> None:
    """Takes the reports of an engine that nobody watches."""


class StorageUnavailableError(StorageError):
    """Not even tried: the disk is full, or the storage is down. It was logged when that began."""


class NoReadLeaseError(StorageUnavailableError):
    """Nothing was written, and nothing read: another primary may have newer data."""


class StorageBusyError(StorageError):
    """Not even tried: the queue of writes is full. It was logged; the caller may retry."""


class ContendedError(StorageError):
    """Nothing happened: in each attempt, others had changed its keys. The caller may retry."""


class KeyTooLongError(StorageError):
    """Nothing happened: a key is longer than the engine's `key_bytes_max`."""

    def __init__(self, key_bytes_max: int) -> None:
        super().__init__(f"a key is longer than {key_bytes_max} bytes")
        self.key_bytes_max = key_bytes_max


def check_lengths(keys: Iterable[bytes], key_bytes_max: int) -> None:
    """Raises KeyTooLongError if a key is longer than an engine stores."""
    if max(map(len, keys), default=0) > key_bytes_max:
        raise KeyTooLongError(key_bytes_max)


class StorageOpenError(Exception):
    """The data cannot be opened: in use, of a newer version, or damaged.

    The text is for the operator.
    """


class Changes(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """The result of `decide`: the changes, applied as a whole, and the caller's answer.

    `puts` and `deletes` may name keys outside of those that were read only if one of the keys read
    owns them (index entries of an item, rows of a dropped table): such changes are blind. Absent
    keys may be deleted; but a record of a log has no owner, so it is deleted only by a caller that
    has read it. No key is in two of `puts`, `deletes` and `adds`, and a write neither
    puts nor deletes the records that it appends.
    `adds` are int64 counters: commutative, absent counts as 0, never a conflict; a counter that
    reaches 0 may be stored or absent; `read` and `scan` return 8 bytes, signed big-endian. A key
    used in `adds` is never used in `puts`, and never compared: it is neither among the `keys` of a
    write nor a fence, since an engine may store a counter in several parts without a common
    version.
    `appends` go to a log: the engine stores each record at the key `log + u64 big-endian`, numbered
    from 1 in the order in which records of that log become visible. Numbers are never used again,
    even if the newest records are deleted. The engine puts a stamp before the record, STAMP_BYTES
    big-endian: the time of the commit in milliseconds since the epoch. All records of one write
    have one stamp, and the stamps of a log never decrease, even if the clock is set back or the
    engine is opened again.
    """

    answer: T
    puts: Mapping[bytes, bytes] = {}
    deletes: Sequence[bytes] = ()
    adds: Mapping[bytes, int] = {}
    appends: Sequence[tuple[bytes, bytes]] = ()


class DelegableDecision(msgspec.Struct, Generic[T], frozen=True):
    """A decision that another process can make from its keys, their values and `arguments`.

    Engines call it as any other decision. An engine whose writes are committed by another process
    may send the arguments there; the answer of the changes is then a number for each key.
    """

    def __call__(self, values: Sequence[bytes | None]) -> Changes[T]:
        """Decide, as `Engine.write` asks for."""
        raise NotImplementedError

    def arguments(self) -> Sequence[bytes]:
        """All that the decision depends on besides keys and values: an element for each key."""
        raise NotImplementedError

    def answer_from(self, numbers: Sequence[int]) -> T:
        """The answer, from that of the changes which were decided elsewhere."""
        raise NotImplementedError


Delegated: TypeAlias = Callable[
    [Sequence[bytes], Sequence[bytes], Sequence[bytes | None]], Changes[tuple[int, ...]]
]
"""Decides by the keys and the `arguments` of a DelegableDecision, on the values of the keys."""


class Engine(Protocol):
    """Ordered bytes, durable. Keys are 1 to `key_bytes_max` bytes, ordered as unsigned bytes."""

    @property
    def key_bytes_max(self) -> int:
        """At most KEY_BYTES_MAX. Longer keys can be read, and are always absent."""

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """The values of `keys`, in their order, at one consistent moment; a key may come twice.

        Sees every write that returned before the call. Raises StaleFenceError, StorageError.
        """

    async def scan(
        self,
        start: bytes,
        end: bytes,
        *,
        limit: int,
        bytes_max: int,
        reverse: bool = False,
        fences: Fences = NO_FENCES,
    ) -> list[Pair]:
        """One consistent page of start <= key < end, ascending, or descending with `reverse`.

        The bounds are any bytes, also none, or more than a key has; a range may be empty.

        Ends after `limit` pairs, or with the pair that brings the sum of value bytes to
        `bytes_max` or over; so a page is empty only if the range is. Sees every write that
        returned before the call. Raises StaleFenceError, StorageError.
        """

    async def write(
        self,
        keys: Sequence[bytes],
        decide: Callable[[list[bytes | None]], Changes[T]],
        *,
        fences: Fences = NO_FENCES,
    ) -> T:
        """Read `keys`, decide, apply; serializable; returns once durable.

        `decide` gets the values in the order of `keys`, all of one moment at which the fences held;
        it is pure, and may run more than once, on values that turn out to be outdated. An error
        that it raises changes nothing and reaches the caller, after all values that it has read are
        durable. A write whose caller is cancelled takes effect as a whole or not at all, maybe
        later. Raises StaleFenceError, which comes before errors of `decide`; KeyTooLongError, if a
        key among `keys` is too long, or one that is put; StorageError.
        """
