"""The type of an operation: a row of the registry with the functions of the pipeline's steps."""

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeAlias, TypeVar

import msgspec

from hashrange.api.steps.accesses import Access
from hashrange.capacity.consumed import Kind, Units
from hashrange.capacity.units import Charge, KeyValues
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.tables import ACCOUNT_CAPACITY_UNITS_MAX, TABLE_CAPACITY_UNITS_MAX
from hashrange.messages import wire as wire_messages
from hashrange.messages.tables import operations as messages
from hashrange.model.operations import OperationFacts
from hashrange.observe.counts import UnitCounts
from hashrange.settings.stream_endpoints import StreamEndpoint
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.writing.store import Store
from hashrange.wire.service import ServiceOperation

if TYPE_CHECKING:
    from hashrange.access.policies.decisions import Subject
    from hashrange.api.steps.permissions import Asked, Permission
    from hashrange.regions.peers.asking import Asking

R = TypeVar("R")
C = TypeVar("C")
P = TypeVar("P")
X = TypeVar("X")

Performer: TypeAlias = Callable[[Any], Coroutine[Any, Any, object]]
"""Executes a decoded request; returns the answer to encode, None for an empty body.

Raises DynamoError, or StorageError for a failure of the engine that is to be logged.
"""


class Connection(msgspec.Struct, frozen=True, cache_hash=True):
    """The connection of a request, as policies can test it.

    Attributes:
        source_ip: the address of the client.
        is_secure: the connection is encrypted.
        user_agent: as sent; None if it was not sent.
        access_key: that the request was signed with.
    """

    source_ip: str
    is_secure: bool
    user_agent: str | None
    access_key: str


class Caller(msgspec.Struct, frozen=True):
    """The caller of a request.

    Attributes:
        account: that of the credentials; part of the ARNs of new tables.
        region: that of the credentials; part of the ARNs of new tables.
        host: the Host header, for DescribeEndpoints.
        subject: the principal and its policies; None if signatures are not verified.
        connection: None if signatures are not verified.
    """

    account: str
    region: str
    host: str
    subject: "Subject | None" = None
    connection: Connection | None = None


class Principals:
    """The users and roles that policies of tables can name; without authentication there are none.

    With it, `assembly/` gives one that has them.
    """

    async def refresh(self) -> None:
        """See all changes that were durable before the call. Raises StorageError."""

    def unique_ids(self, _arns: Iterable[str]) -> dict[str, str]:
        """The unique ids of users, roles and sessions by ARN, of those that are there."""
        return {}

    def gone_since(self, _ids: Mapping[str, str]) -> dict[str, str]:
        """Of unique ids by ARN those of principals that are gone, as far as it is known."""
        return {}


NO_PRINCIPALS: Final = Principals()


class TableChoices(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the operator for operations on tables.

    Attributes:
        stream_shards: number of shards of a new stream.
        regions: where tables can have replicas.
        peer_regions: those of them that other servers hold.
        peers: asks those servers; None without any.
        accepts_encryption: record and describe requests for encryption, without encrypting.
        account_units: the quota of provisioned read units, and of write units, of an account.
        table_units: the same of a table, and of an index.
        throttles: tables have partitions, and streams as many shards.
        master_key_id: of an encrypted data directory, whose key is KMS's for tables.
        principals: that policies of tables name.
        stream_endpoints: servers of other Kinesis data streams.
    """

    stream_shards: int = 1
    regions: tuple[str, ...] = ()
    peer_regions: tuple[str, ...] = ()
    peers: "Asking | None" = None
    accepts_encryption: bool = False
    account_units: int = ACCOUNT_CAPACITY_UNITS_MAX
    table_units: int = TABLE_CAPACITY_UNITS_MAX
    throttles: bool = False
    master_key_id: str | None = None
    principals: Principals = NO_PRINCIPALS
    stream_endpoints: tuple[StreamEndpoint, ...] = ()


class CallerContext(msgspec.Struct, frozen=True):
    """The context that all requests of a caller share.

    Attributes:
        caller: the caller.
        store: reads and writes items.
        catalog: the tables that the caller can see.
        transient_ms: how long transient statuses are shown; 0 for only in the answer that begins
            them.
        choices: settings for operations on tables.
        units: counts of the operation by table, as requests name it.
    """

    caller: Caller
    store: Store
    catalog: Catalog
    transient_ms: int
    choices: TableChoices
    units: Mapping[str, UnitCounts]


class RequestContext(CallerContext, frozen=True):
    """The context of one request on tables: with its time, and an id for a new table."""

    now_ms: int
    new_id: str


class Cost(Protocol):
    """Consumed capacity units, of an answer or of a refusal.

    A request whose plan has one charge has `read_units` or `write_units`; other requests have
    `charges`.
    """

    @property
    def read_units(self) -> float:
        """Read units of the plan's only charge."""

    @property
    def write_units(self) -> float:
        """Write units of the plan's only charge."""

    @property
    def charges(self) -> Sequence[Charge]:
        """Units by table, index and partition."""

    @property
    def stream_bytes(self) -> int:
        """Bytes that were read from a shard of a stream."""


OfIndexes: TypeAlias = tuple[Kind, Mapping[str, Units]] | None
"""Units by table, of which some may be of global indexes; bytes of vector indexes."""


class Outcome(msgspec.Struct, frozen=True):
    """An answer to encode, and its `Cost`."""

    answer: object
    read_units: float = 0.0
    write_units: float = 0.0
    charges: Sequence[Charge] = ()
    stream_bytes: int = 0
    """The bytes that were read from a shard of a stream."""
    of_indexes: OfIndexes = None
    """The units by table, if some of them, or bytes, were consumed in indexes with metrics."""


class ChargedError(DynamoError):
    """A refusal with a `Cost`; `fault` to `members` are those of `DynamoError`."""

    read_units = 0.0
    stream_bytes = 0

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
    """The tables that the pipeline looks up before `fit`, by `table_names` of the checked request.

    NONE: no tables; the operation reads its table in the write that changes it, if it has one.
    OPEN: open tables, whose items are read or written; a table that is CREATING is not found. If a
        table has changed since, the request is planned again.
    DEFINITION: the definitions of tables as they are stored now.
    """

    NONE = 0
    OPEN = 1
    DEFINITION = 2


def items_not_found(_name: str) -> DynamoError:
    """The ResourceNotFoundException of operations on items, whose text has no name."""
    return DynamoError(Fault.RESOURCE_NOT_FOUND, messages.resource_not_found())


def in_other_region(arn: str) -> DynamoError:
    """The ValidationException of an ARN of another region as TableName."""
    return invalid(wire_messages.arn_region(arn), bare=True)


def items_in_other_region(arn: str) -> DynamoError:
    """As `in_other_region`, of operations on the items of one table."""
    return invalid(wire_messages.arn_region_of_items(arn), bare=True)


def as_checked(checked: C, *_tables: object) -> C:
    """The `fit` of an operation whose plan is the checked request."""
    return checked


def never(_plan: object) -> bool:
    """The `is_eventual` of an operation that has no eventually consistent reads."""
    return False


def no_charges(_plan: object) -> Sequence[Charge]:
    """The `charges` of an operation that consumes no capacity."""
    return ()


def no_keys(_plan: object) -> Sequence[KeyValues]:
    """The `keys` of an operation whose keys contributor insights do not count."""
    return ()


class Operation(ServiceOperation[R, X], Generic[R, C, P, X], frozen=True, kw_only=True):
    """An operation of DynamoDB: the functions of the pipeline's steps.

    Attributes:
        facts: what is known of it beside how it is performed.
        check: refuses everything that can be refused without a table, for the constraints of the
            model too, whose place among the other checks is its own; returns the checked request.
            Pure.
        accesses: the accesses that the caller must be allowed. Pure; called only if there is a
            policy.
        permissions: the accesses of a plan with their condition keys, of an operation whose
            requests have some. Pure; called only if policies have conditions.
        tables: which tables are looked up.
        may_lack_tables: `fit` is passed None for tables that do not exist, and refuses them.
        while_creating: also find definitions of tables that are CREATING.
        while_deleting: also find definitions of tables that are still shown as DELETING.
        across_regions: `run` takes resources of other regions too, and refuses those of other
            accounts; with separate namespaces both are refused otherwise.
        not_found: the error for a table or another resource, named as sent, that does not exist.
        without_table: the error of a checked request whose table does not exist, if it depends on
            the request; `not_found` otherwise. Pure.
        foreign: the error for an ARN of another account, with separate namespaces and without
            policies; `not_found` if None.
        elsewhere: the error for the ARN of a table, an index or a job of another region, with
            separate namespaces.
        fit: makes the plan from the checked request and its tables, in the order of its names;
            refuses what does not fit them. Pure.
        charges: the least cost of a plan, an entry for each of its partitions, or for each item of
            a batch or transaction. Pure; called only if capacity is limited or observed.
        spot: the only charge of a plan on one table, with a position and without a partition: it is
            admitted as a whole, at once. None for a plan, or an operation, that is not that simple.
        keys: the keys of a plan's charges, in their order. Pure; called only if a table has
            contributor insights.
        without: the plan of a batch without items that are throttled, from the plan and an error or
            None for each of its charges. Raises an error if no item is left, or, as a transaction
            does, if not all are. None for operations that are admitted as a whole.
        shard_of: the ARN of the stream and the shard that a plan reads; None for others.
        is_eventual: whether a plan only reads, and eventually consistently. Pure; called only if
            such reads lag.
        run: executes a plan: reads or writes; returns the outcome.
        enveloped: texts of `check` are prefixed with `1 validation error detected: `.
        needed: members that a body must have, of an operation with the service's newer parser; see
            `hashrange.wire.strict_reading`.
    """

    facts: OperationFacts
    check: Callable[[R], C]
    accesses: Callable[[C], Iterable[Access]]
    permissions: "Callable[[C, P, Asked], Iterable[Permission]] | None" = None
    tables: TableMode = TableMode.NONE
    may_lack_tables: bool = False
    while_creating: bool = False
    while_deleting: bool = False
    across_regions: bool = False
    not_found: Callable[[str], DynamoError] = items_not_found
    without_table: Callable[[C], DynamoError] | None = None
    foreign: Callable[[], DynamoError] | None = None
    elsewhere: Callable[[str], DynamoError] = in_other_region
    fit: Callable[..., P] = as_checked
    charges: Callable[[P], Sequence[Charge]] = no_charges
    spot: Callable[[P], Charge | None] | None = None
    keys: Callable[[P], Sequence[KeyValues]] = no_keys
    without: Callable[[P, Sequence[DynamoError | None]], P] | None = None
    shard_of: Callable[[P], tuple[str, int]] | None = None
    is_eventual: Callable[[P], bool] = never
    run: Callable[[P, X], Coroutine[Any, Any, Outcome]]
    enveloped: bool = False
    needed: tuple[str, ...] = ()


AnyOperation = Operation[Any, Any, Any, Any]
