"""The context of a request, checks of what requests name, and pages of lists."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final, TypeVar

import msgspec

from hashrange.api.aws_services.dax_clusters.service import DaxError, invalid
from hashrange.api.aws_services.dax_clusters.store import DaxRows, StoredCluster, StoredEvent
from hashrange.limits.dax import (
    ARN_CHARS_MAX,
    CLUSTER_NAME_CHARS_MAX,
    DESCRIPTION_CHARS_MAX,
    GROUP_NAME_CHARS_MAX,
    PAGE_MAX,
    PAGE_MIN,
)
from hashrange.messages import dax as messages

T = TypeVar("T")

_CLUSTER_NAME: Final = re.compile(r"[a-z](-?[a-z0-9])*", re.ASCII)
_GROUP_NAME: Final = re.compile(r"[a-z]([-.]?[a-z0-9])*", re.ASCII)
_TOKEN: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
_ARN_PARTS: Final = (
    "ARNs must start with 'arn:'",
    "Second colon partition not found",
    "Third colon vendor not found",
    "Fourth colon (region/namespace delimiter) not found",
    "Fifth colon (namespace/relative-id delimiter) not found",
)


class DaxContext(msgspec.Struct, frozen=True, kw_only=True):
    """The context of one request.

    Attributes:
        scope: whose tables the caller sees: `tables.keys.dax_cluster_keys`.
        host: the name that the caller has of this server.
        can_run: there is a server that runs clusters.
        has_tls: it has a certificate.
        check_role: raises DaxError, or ApiError, unless the caller may pass a role to a cluster by
            its name, and clusters may assume it.
        changed: notifies the runner that rows have changed.
        new_id: draws a UUID.
        topics: the ARNs that events can be sent to.
    """

    rows: DaxRows
    scope: str
    account: str
    region: str
    host: str
    now_ms: int
    can_run: bool
    has_tls: bool
    check_role: Callable[[str, str], None]
    changed: Callable[[], None]
    new_id: Callable[[], str]
    topics: Collection[str]

    async def note(self, source: StoredCluster | str, text: str) -> None:
        """Add an event of a cluster, or of a parameter group by its name."""
        is_cluster = isinstance(source, StoredCluster)
        event = StoredEvent(
            source=source.name if isinstance(source, StoredCluster) else source,
            type="CLUSTER" if is_cluster else "PARAMETER_GROUP",
            text=text,
            at_ms=self.now_ms,
        )
        await self.rows.note(self.scope, event)


def given(value: T | None, member: str) -> T:
    """A member that must be there."""
    if value is None:
        raise invalid(messages.required(member))
    return value


def named(names: Sequence[str] | None, member: str) -> Sequence[str]:
    """The names that a request asks for: none, or as many as fit into a page."""
    if names is not None and len(names) > PAGE_MAX:
        raise invalid(messages.quota(member, PAGE_MAX))
    return names or ()


def cluster_name(name: str | None) -> str:
    """The name of a cluster, in lower case."""
    lowered = given(name, "ClusterName").lower()
    if _CLUSTER_NAME.fullmatch(lowered) is None:
        raise invalid(messages.cluster_name_invalid())
    if len(lowered) > CLUSTER_NAME_CHARS_MAX:
        raise invalid(messages.name_too_long("ClusterName", CLUSTER_NAME_CHARS_MAX))
    return lowered


def group_name(name: str | None, member: str) -> str:
    """The name of a parameter group or subnet group, in lower case."""
    lowered = given(name, member).lower()
    if not 0 < len(lowered) <= GROUP_NAME_CHARS_MAX:
        raise invalid(messages.name_too_long(member, GROUP_NAME_CHARS_MAX))
    if _GROUP_NAME.fullmatch(lowered) is None:
        raise invalid(messages.group_name_invalid(member))
    return lowered


def check_description(text: str | None) -> None:
    """Refuse a description that is too long."""
    if text is not None and len(text) > DESCRIPTION_CHARS_MAX:
        raise invalid(messages.name_too_long("Description", DESCRIPTION_CHARS_MAX))


def check_arn(arn: str) -> None:
    """Refuse what has not the parts of an ARN, naming the first that is missing."""
    if not arn.startswith("arn:"):
        raise invalid(messages.arn_has_no(_ARN_PARTS[0], arn[:ARN_CHARS_MAX]))
    colons = arn.count(":")
    if colons < len(_ARN_PARTS):
        raise invalid(messages.arn_has_no(_ARN_PARTS[colons], arn[:ARN_CHARS_MAX]))
    if len(arn) > ARN_CHARS_MAX:
        raise invalid(messages.name_too_long("IamRoleArn", ARN_CHARS_MAX))


def existing(cluster: StoredCluster | None) -> StoredCluster:
    """The cluster. Raises ClusterNotFoundFault."""
    if cluster is None:
        raise DaxError("ClusterNotFoundFault", messages.cluster_missing())
    return cluster


def available(cluster: StoredCluster | None) -> StoredCluster:
    """The cluster. Raises ClusterNotFoundFault, InvalidClusterStateFault."""
    found = existing(cluster)
    if found.status != "available":
        text = messages.cluster_state(found.name, found.status)
        raise DaxError("InvalidClusterStateFault", text)
    return found


def page_of(found: Sequence[T], most: int | None, token: str | None) -> tuple[list[T], str | None]:
    """A page of a list, and the token of the next one."""
    if most is not None and not PAGE_MIN <= most <= PAGE_MAX:
        raise invalid(messages.page_size(PAGE_MIN, PAGE_MAX))
    first = 0
    if token is not None:
        if _TOKEN.fullmatch(token) is None:
            raise invalid(messages.token_invalid())
        first = int(token)
    end = first + (PAGE_MAX if most is None else most)
    return list(found[first:end]), str(end) if end < len(found) else None
