"""The rows of the control plane as the engine keeps them, as JSON. Members are never renamed."""

from typing import Final, Literal

import msgspec

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
