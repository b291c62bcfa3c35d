"""Messages of members to each other, and their form in bytes."""

from typing import Final

import msgspec


class Position(msgspec.Struct, frozen=True, array_like=True, order=True):
    """An index in a log, from 1, and the term of the entry there; (0, 0) is before all entries."""

    term: int = 0
    index: int = 0


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """One entry: the term of the leader that appended it, and data; empty data mean nothing."""

    term: int
    data: bytes


class Snapshot(msgspec.Struct, frozen=True, array_like=True):
    """A snapshot, which replaces the entries up to a position.

    `data` belong to the application: the state, or where a member finds it. A witness has none.
    """

    position: Position = Position()
    data: bytes = b""


class VoteRequest(msgspec.Struct, frozen=True, tag="vote?"):
    """A candidate asks for a vote. A pre-vote asks whether it would get one, without effect."""

    term: int
    last: Position
    is_pre_vote: bool = msgspec.field(name="is_trial")


class VoteResponse(msgspec.Struct, frozen=True, tag="vote"):
    """The term is that of the request if the vote is granted, of the member otherwise."""

    term: int
    is_granted: bool
    is_pre_vote: bool = msgspec.field(name="is_trial")


class AppendRequest(msgspec.Struct, frozen=True, tag="append?"):
    """Entries after a position, none for a heartbeat.

    `committed` is the leader's commit index; `held_everywhere` the index up to which each member
    that has a state holds all entries durably; `round` counts confirmations of the leader.
    """

    term: int
    previous: Position
    entries: tuple[Entry, ...]
    committed: int
    held_everywhere: int
    round: int


class AppendResponse(msgspec.Struct, frozen=True, tag="append"):
    """`index`: the log equals the leader's up to it, durably; if refused, it may do so at most."""

    term: int
    is_accepted: bool
    index: int
    round: int


class SnapshotRequest(msgspec.Struct, frozen=True, tag="snapshot?"):
    """A member whose next entry the leader has no more. The answer is an AppendResponse."""

    term: int
    snapshot: Snapshot
    round: int


class ReadRequest(msgspec.Struct, frozen=True, tag="read?"):
    """Asks the leader for the index that reads must see.

    `number` counts the reads of a member, of which all up to it are meant; `incarnation`
    distinguishes them from those before a restart.
    """

    incarnation: int
    number: int


class ReadResponse(msgspec.Struct, frozen=True, tag="read"):
    """All reads up to `number` must see all entries up to `index`."""

    incarnation: int
    number: int
    index: int


class ProposeRequest(msgspec.Struct, frozen=True, tag="propose?"):
    """Data of new entries. There is no answer: the proposer sees the entry, or proposes again."""

    data: tuple[bytes, ...]


Message = (
    VoteRequest
    | VoteResponse
    | AppendRequest
    | AppendResponse
    | SnapshotRequest
    | ReadRequest
    | ReadResponse
    | ProposeRequest
)

encoded: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Message).decode


def decoded(data: bytes) -> Message:
    """A message from its bytes. Raises ValueError."""
    message: Message = _decode(data)
    return message
