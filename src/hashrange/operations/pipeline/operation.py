"""What an operation is: one row of the registry, in the steps of `operations.pipeline.pipeline`."""

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from hashrange.capacity.charges import Charge
from hashrange.errors import DynamoError, Fault
from hashrange.messages.tables import operations as messages
from hashrange.operations.pipeline.accesses import Access
from hashrange.tables.catalog import Catalog
from hashrange.tables.store import Store

R = TypeVar("R")
C = TypeVar("C")
P = TypeVar("P")
X = TypeVar("X")


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


class CallerContext(msgspec.Struct, frozen=True):
    """What all requests of a caller share.

    Attributes:
        caller: who it is.
        store: the items.
        catalog: the tables that the caller can see.
        transient_ms: how long transient statuses are shown; 0 for not at all after the answer
            that begins them.
        choices: settings that operations on tables follow.
    """

    caller: Caller
    store: Store
    catalog: Catalog
    transient_ms: int
    choices: TableChoices


class RequestContext(CallerContext, frozen=True):
    """What one request on tables takes from outside: its time, and an id for what it makes."""

    now_ms: int
    new_id: str


class Cost(Protocol):
    """Consumed capacity units, of an answer and of a refusal alike.

    A request that names one place, as its plan says, costs `read_units` or `write_units` there;
    others have `charges`.
    """

    @property
    def read_units(self) -> float:
        """In the one place."""

    @property
    def write_units(self) -> float:
        """Likewise."""

    @property
    def charges(self) -> Sequence[Charge]:
        """Of several places."""


class Outcome(msgspec.Struct, frozen=True):
    """An answer to encode, and its `Cost`."""

    answer: object
    read_units: float = 0.0
    write_units: float = 0.0
    charges: Sequence[Charge] = ()


class ChargedError(DynamoError):
    """A refusal that has a `Cost`; `fault` to `bare` are those of `DynamoError`."""

    read_units = 0.0

    def __init__(
        self,
        fault: Fault,
        message: str,
        *,
        members: Mapping[str, object] | None = None,
        write_units: float = 0.0,
        charges: Sequence[Charge] = (),
    ) -> None:
        super().__init__(fault, message, members=members)
        self.write_units = write_units
        self.charges = charges


class TableMode(Enum):
    """Which tables the pipeline looks up before `fit`, by the `table_names` of what was checked.

    NONE: the operation needs none, or finds its table in the write that changes it.
    OPEN: open tables, whose items are read or written; one that is CREATING is not found. A plan
        of a table that has changed since is made anew.
    DEFINITION: the definitions of tables as they are stored now.
    """

    NONE = 0
    OPEN = 1
    DEFINITION = 2


def items_not_found(_name: str) -> DynamoError:
    """The ResourceNotFoundException of operations on items, which names no table."""
    return DynamoError(Fault.RESOURCE_NOT_FOUND, messages.resource_not_found())


def as_checked(checked: C, *_tables: object) -> C:
    """The plan of a request that needs nothing of its tables: itself."""
    return checked


def no_charges(_plan: object) -> Iterable[Charge]:
    """Of a plan that costs nothing."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Generic[R, C, P, X]):
    """An operation, in the steps of the pipeline.

    Attributes:
        request: the request's type, with every member of the API's model.
        check: everything that can be refused without knowing a table. Pure.
        accesses: what the caller needs to be allowed. Pure; called only where somebody asks.
        tables: which tables are looked up.
        while_creating: definitions of tables that are CREATING are found too.
        while_deleting: definitions of tables that are still shown as DELETING are found too.
        not_found: the refusal where a table or another resource, named as sent, is not there.
        fit: makes the plan: keys and types against the definitions of the tables, which follow
            the checked request in the order of its names. Pure.
        charges: the least that a plan can cost, an entry for each partition that it names. Pure;
            called only where somebody asks.
        run: reads or writes.
        enveloped: texts of `check` stand behind `1 validation error detected: `.
    """

    request: type[R]
    check: Callable[[R], C]
    accesses: Callable[[C], Iterable[Access]]
    tables: TableMode = TableMode.NONE
    while_creating: bool = False
    while_deleting: bool = False
    not_found: Callable[[str], DynamoError] = items_not_found
    fit: Callable[..., P] = as_checked
    charges: Callable[[P], Iterable[Charge]] = no_charges
    run: Callable[[P, X], Coroutine[Any, Any, Outcome]]
    enveloped: bool = False


AnyOperation = Operation[Any, Any, Any, Any]


def charges_of(operation: AnyOperation, plan: object, cost: Cost) -> Sequence[Charge]:
    """What a plan did cost."""
    if cost.charges or not (cost.read_units or cost.write_units):
        return cost.charges
    (charge,) = operation.charges(plan)
    replaced = msgspec.structs.replace
    return (replaced(charge, read_units=cost.read_units, write_units=cost.write_units),)
