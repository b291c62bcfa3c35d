"""What an engine is: an ordered map of bytes with three methods.

An engine knows nothing of items, indexes or streams. Every write names its keys before it starts,
so no engine ever runs a conversation: it reads the keys, lets a pure function decide, and applies
what was decided. `hashrange.engine_trials` states the contract as trials.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

import msgspec

T = TypeVar("T")

Pair: TypeAlias = tuple[bytes, bytes]
"""A key and its value."""

KEY_BYTES_MAX: Final = 4_700
"""The longest key that any engine stores; `tables.key_lengths` holds that no item needs more."""

STAMP_BYTES: Final = 8
"""Of the time that an engine puts before each record of a log."""

Fences: TypeAlias = Mapping[bytes, bytes]
"""Keys that must still hold exactly these bytes when the operation takes effect."""

NO_FENCES: Fences = {}


class StaleFenceError(Exception):
    """A fence no longer holds; nothing was read or written. Plan again and retry."""


class StorageError(Exception):
    """The operation did not happen, or nobody can know whether it did: disk full, I/O error.

    The engine goes on serving once it can; a caller answers InternalServerError.
    """


class StorageUnavailableError(StorageError):
    """Not even tried: the disk is full, or the storage is down. It was logged when that began."""


class StorageBusyError(StorageError):
    """Not even tried: more writes wait than may. It was logged; to try again is right."""


class ContendedError(StorageError):
    """Nothing happened: others changed its keys each time it was tried. To try again is right."""


class KeyTooLongError(StorageError):
    """Nothing happened, and never will: a key is longer than the engine's `key_bytes_max`."""

    def __init__(self, key_bytes_max: int) -> None:
        super().__init__(f"a key is longer than {key_bytes_max} bytes")
        self.key_bytes_max = key_bytes_max


def check_lengths(keys: Iterable[bytes], key_bytes_max: int) -> None:
    """Raises KeyTooLongError if a key is longer than an engine stores."""
    for key in keys:
        if len(key) > key_bytes_max:
            raise KeyTooLongError(key_bytes_max)


class StorageOpenError(Exception):
    """The data cannot be opened: in use, of a newer version, or damaged. The text is for people."""


class Changes(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """What `decide` answers: the changes to make, all or none, and the caller's answer.

    `puts` and `deletes` may name keys outside of those that were read only if one of the keys read
    owns them (index entries of an item, rows of a dropped table): such changes are blind. What is
    deleted may be absent; but a record of a log, which nobody owns who appends, is deleted only by
    who has seen it. No key is in two of `puts`, `deletes` and `adds`, and a write neither
    puts nor deletes the records that it appends.
    `adds` are int64 counters: commutative, absent counts as 0, never a conflict; a counter that
    reaches 0 may be stored or absent; `read` and `scan` give 8 bytes, signed big-endian. A key
    used in `adds` is never used in `puts`, and never compared: it is neither among the `keys` of a
    write nor a fence, for an engine may keep it in parts that have no one version.
    `appends` go to a log: the engine stores each record at the key `log + u64 big-endian`, numbered
    from 1 in the order in which records of that log become visible. Numbers are never used again,
    even if the newest records are deleted. The engine puts a stamp before the record, STAMP_BYTES
    big-endian: the time of the commit in milliseconds since the epoch. All records of one write
    have one stamp, and the stamps of a log never decrease, also if the clock was set back or the
    engine was opened again meanwhile.
    """

    answer: T
    puts: Mapping[bytes, bytes] = {}
    deletes: Sequence[bytes] = ()
    adds: Mapping[bytes, int] = {}
    appends: Sequence[tuple[bytes, bytes]] = ()


class Engine(Protocol):
    """Ordered bytes, durable. Keys are 1 to `key_bytes_max` bytes, ordered as unsigned bytes."""

    @property
    def key_bytes_max(self) -> int:
        """At most KEY_BYTES_MAX. What is longer can be asked for, but is never there."""

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
        it is pure, and may run more than once, on values that turn out to be outdated. What it
        raises changes nothing and reaches the caller, after everything it has seen is durable. A
        write whose caller is cancelled happens wholly or not at all, and maybe later.
        Raises StaleFenceError, which comes before anything that `decide` raises; KeyTooLongError,
        if a key among `keys` is too long, or one that is put; StorageError.
        """
