"""What an operation is: one row of the registry, in the steps of `operations.pipeline`."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from hashrange.storage.engine import Engine
from hashrange.tables.catalog import Catalog
from hashrange.tables.opened import OpenTable
from hashrange.tables.store import Store


class OnTable(Protocol):
    """A checked request on the items of one table."""

    @property
    def table_name(self) -> str:
        """The table's name or ARN, as sent."""


R = TypeVar("R")
C = TypeVar("C")
T = TypeVar("T", bound=OnTable)
P = TypeVar("P")


class Spent(msgspec.Struct, frozen=True):
    """Capacity units that an operation consumed on one table."""

    table: str
    read_units: float = 0.0
    write_units: float = 0.0


class Outcome(msgspec.Struct, frozen=True):
    """An answer to encode, and what it cost."""

    answer: object
    spent: Sequence[Spent] = ()


class ItemOutcome(msgspec.Struct, frozen=True):
    """An answer to encode, and the capacity units that it cost on its one table."""

    answer: object
    read_units: float = 0.0
    write_units: float = 0.0


class Caller(msgspec.Struct, frozen=True):
    """Who calls, as far as operations may know.

    `account` and `region` stand in the ARNs of new tables; `host` is where the caller found the
    server.
    """

    account: str
    region: str
    host: str


class TableChoices(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the operator that operations on the catalog follow.

    Attributes:
        stream_shards: number of shards of a new stream.
        accepts_encryption: requests for encryption are recorded and described, though nothing is
            encrypted.
    """

    stream_shards: int = 1
    accepts_encryption: bool = False


class Moment(msgspec.Struct, frozen=True):
    """What a control-plane operation takes from outside of the request."""

    caller: Caller
    now_ms: int
    new_id: str
    transient_ms: int
    """How long transient statuses are shown; 0 for not at all after the answer itself."""
    choices: TableChoices = TableChoices()


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemOperation(Generic[R, T, P]):
    """An operation on items of one table: checked without it, fitted to it, run on the engine.

    Attributes:
        request: the request's type, with every member of the API's model.
        check: everything that can be refused without knowing the table. Pure.
        fit: keys and types against the table's schema. Pure.
        run: reads or writes.
        enveloped: texts of `check` stand behind `1 validation error detected: `.
    """

    request: type[R]
    check: Callable[[R], T]
    fit: Callable[[T, OpenTable], P]
    run: Callable[[P, Store], Coroutine[Any, Any, ItemOutcome]]
    enveloped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOperation(Generic[R, C, P]):
    """An operation on items of several tables, in the same steps.

    Attributes:
        request: as of `ItemOperation`.
        check: likewise.
        table_names: names or ARNs, as sent, of the tables that the checked request uses.
        fit: keys and types against the schemas of those tables, in that order. Pure.
        run: reads or writes.
        enveloped: texts of `check` stand behind `1 validation error detected: `.
    """

    request: type[R]
    check: Callable[[R], C]
    table_names: Callable[[C], Sequence[str]]
    fit: Callable[[C, Sequence[OpenTable]], P]
    run: Callable[[P, Store], Coroutine[Any, Any, Outcome]]
    enveloped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOperation(Generic[R, C]):
    """An operation on the catalog."""

    request: type[R]
    check: Callable[[R], C]
    run: Callable[[C, Catalog, Moment], Coroutine[Any, Any, Outcome]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamOperation(Generic[R, C]):
    """An operation on streams, which reads the change log."""

    request: type[R]
    check: Callable[[R], C]
    run: Callable[[C, Catalog, Engine, Moment], Coroutine[Any, Any, Outcome]]


Operation = (
    ItemOperation[Any, Any, Any]
    | BatchOperation[Any, Any, Any]
    | TableOperation[Any, Any]
    | StreamOperation[Any, Any]
)
