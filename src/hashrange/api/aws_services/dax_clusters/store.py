"""The rows of the control plane, and how they are read and written."""

import hashlib
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, Generic, Literal, TypeVar

import msgspec

from hashrange.limits.dax import EVENTS_DAYS, EVENTS_MAX
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences
from hashrange.tables.alarms.notifications import Action, iso, text_of
from hashrange.tables.keys import dax_keys
from hashrange.tables.keys.alarm_keys import TIE_BYTES, action_key, changes_key
from hashrange.tables.keys.key_ranges import pairs

DEFAULT_PARAMETERS: Final = "default.dax1.0"
DEFAULT_SUBNETS: Final = "default"

Status = Literal["creating", "available", "modifying", "deleting"]
NodeStatus = Literal["creating", "available", "rebooting", "deleting"]


class StoredNode(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A node of a cluster.

    Attributes:
        id: the name of the cluster and a letter.
        number: its number in the protocol, never that of another node of the cluster.
        zone: a label, not a place.
        port: that it listens on, or listened on last; 0 before it has listened.
    """

    id: str
    number: int
    zone: str
    created_ms: int
    status: NodeStatus = "creating"
    port: int = 0


class StoredCluster(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A cluster.

    Attributes:
        scope: whose tables it serves: `tables.keys.dax_cluster_keys`.
        account: of the caller who created it; with the region, part of its ARN.
        id: drawn when it was created: another cluster of the name is not this one.
        role: the ARN of the role whose permissions its requests have.
        port: of the endpoint that gives clients the nodes; 0 before it has listened.
        host: where the ports are, if one of several servers has them; None for the server that was
            asked.
        numbers: how many nodes it has had.
        uses_tls: its endpoints are encrypted.
        keeps_encrypted: SSESpecification; its caches are never on disk.
        topic: the ARN to which events are sent.
        is_silent: they are not sent at present.
    """

    scope: str
    account: str
    region: str
    name: str
    id: str
    node_type: str
    role: str
    created_ms: int
    window: str
    status: Status = "creating"
    description: str | None = None
    parameters: str = DEFAULT_PARAMETERS
    subnets: str = DEFAULT_SUBNETS
    nodes: tuple[StoredNode, ...] = ()
    numbers: int = 0
    port: int = 0
    host: str | None = None
    uses_tls: bool = False
    keeps_encrypted: bool = False
    topic: str | None = None
    is_silent: bool = False
    tags: dict[str, str] = {}

    @property
    def arn(self) -> str:
        """Its ARN."""
        return f"arn:aws:dax:{self.region}:{self.account}:cache/{self.name}"


class StoredParameters(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A parameter group; times to live in milliseconds."""

    name: str
    description: str | None = None
    query_ttl_ms: int = 300_000
    record_ttl_ms: int = 300_000


class StoredSubnets(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A subnet group: names, for there are no networks here."""

    name: str
    subnets: tuple[str, ...]
    description: str | None = None


class StoredEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened to a cluster or group."""

    source: str
    type: Literal["CLUSTER", "PARAMETER_GROUP", "SUBNET_GROUP"]
    text: str
    at_ms: int


T = TypeVar("T")

_DAY_MS: Final = 24 * 60 * 60 * 1000
_encode: Final = msgspec.json.encode
_events: Final = msgspec.json.Decoder(list[StoredEvent]).decode


class Named(Generic[T]):
    """The rows of one kind, by scope and name.

    Args:
        engine: has the rows.
        kind: one of the constants of `tables.keys.dax_cluster_keys`.
        row: the type of the rows.
    """

    def __init__(self, engine: Engine, kind: bytes, row: type[T]) -> None:
        self._engine = engine
        self._kind = kind
        self._decode: Callable[[bytes], Any] = msgspec.json.Decoder(row).decode

    async def get(self, scope: str, name: str) -> T | None:
        """The row of a name."""
        (row,) = await self._engine.read([dax_keys.named_key(self._kind, scope, name)])
        found: T | None = None if row is None else self._decode(row)
        return found

    async def all(self, scope: str | None) -> AsyncIterator[T]:
        """The rows of a scope, or of all, in the order of their names."""
        async for _, row in pairs(self._engine, dax_keys.named_range(self._kind, scope)):
            yield self._decode(row)

    async def change(
        self,
        scope: str,
        name: str,
        change: Callable[[T | None], T | None],
        *,
        fences: Fences = NO_FENCES,
    ) -> T | None:
        """Replace the row of a name; None removes it. `change` may run again, and raise."""
        key = dax_keys.named_key(self._kind, scope, name)

        def decide(stored: list[bytes | None]) -> Changes[T | None]:
            before: T | None = None if stored[0] is None else self._decode(stored[0])
            after = change(before)
            if after is None:
                return Changes(answer=None, deletes=() if before is None else (key,))
            return Changes(answer=after, puts={} if after == before else {key: _encode(after)})

        return await self._engine.write([key], decide, fences=fences)


class DaxRows:
    """The rows of one engine.

    Attributes:
        clusters: by scope and name.
        parameters: the parameter groups but for the default.
        subnets: the subnet groups but for the default.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.clusters = Named(engine, dax_keys.CLUSTERS, StoredCluster)
        self.parameters = Named(engine, dax_keys.PARAMETER_GROUPS, StoredParameters)
        self.subnets = Named(engine, dax_keys.SUBNET_GROUPS, StoredSubnets)

    async def note(self, scope: str, event: StoredEvent, topic: str | None = None) -> None:
        """Add an event; the oldest, and those that are too old, are forgotten.

        With the ARN of a topic it is also sent there, as an alarm would be.
        """
        key, oldest_ms = dax_keys.events_key(scope), event.at_ms - EVENTS_DAYS * _DAY_MS
        sent = {} if topic is None else _notification(scope, event, topic)

        def decide(stored: list[bytes | None]) -> Changes[None]:
            known = [] if stored[0] is None else _events(stored[0])
            kept = [event, *(each for each in known if each.at_ms >= oldest_ms)]
            puts = {key: _encode(kept[:EVENTS_MAX]), **sent}
            return Changes(answer=None, puts=puts, adds={changes_key(): 1} if sent else {})

        await self._engine.write([key], decide)

    async def events(self, scope: str) -> list[StoredEvent]:
        """The events of a scope, newest first."""
        (row,) = await self._engine.read([dax_keys.events_key(scope)])
        return [] if row is None else _events(row)


def _notification(scope: str, event: StoredEvent, topic: str) -> dict[bytes, bytes]:
    """The row of the action that sends an event; equal events of one moment are one."""
    members = {
        "SourceName": event.source, "SourceType": event.type, "Message": event.text,
        "Date": iso(event.at_ms),
    }  # fmt: skip
    message = text_of(members)
    digest = hashlib.sha256(f"{scope} {topic} {message}".encode()).digest()
    action = Action(
        scope=scope,
        name=event.source,
        alarm="",
        target=topic,
        subject=f"DAX: {event.source}",
        message=message,
        state_ms=event.at_ms,
        id=str(uuid.UUID(bytes=digest[:16], version=4)),
        due_ms=event.at_ms,
    )
    return {action_key(action.due_ms, digest[-TIE_BYTES:]): _encode(action)}
