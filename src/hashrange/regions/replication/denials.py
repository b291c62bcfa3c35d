"""Replicas whose resource policies deny replication, and what becomes of them.

The denial is noted in the group of each replica with the time since when, so that a server that is
stopped meanwhile goes on. Source: Developer Guide, "DynamoDB global tables security".
"""

import contextlib
from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError
from hashrange.limits.access import GOVERNED_RESOURCES_CHARS_MAX, GOVERNED_RESOURCES_MAX
from hashrange.limits.tables import DENIED_REPLICA_MS_MAX
from hashrange.model.table import Table
from hashrange.model.table_features import ResourcePolicy, label_of
from hashrange.regions.replication.groups import (
    account_in,
    change_group,
    is_of_accounts,
    name_in,
    names_of,
    replica_in,
    replicas_of,
)
from hashrange.regions.replication.views import without_gone
from hashrange.tables.catalog.catalog import Catalog
from hashrange.wire.arns import stream_arn, table_arn

if TYPE_CHECKING:
    from hashrange.access.policies.decisions import GovernedResource
    from hashrange.access.policies.replication import Calls, Denials, Member
    from hashrange.access.policies.syntax import Document

_RESOURCE_CHARS: Final = 200
"""The characters that a replica counts in the cache besides its policies."""

_replace: Final = msgspec.structs.replace


class ReplicaDenials:
    """The replicas of this server that deny replication, by what is compiled of their policies.

    Args:
        catalog: the whole catalog.
        now_ms: the time.
        denied_ms_max: for how long a replica may deny replication before it leaves the group.
    """

    def __init__(
        self,
        catalog: Catalog,
        now_ms: Callable[[], int],
        denied_ms_max: int = DENIED_REPLICA_MS_MAX,
    ) -> None:
        self._catalog = catalog
        self._now_ms = now_ms
        self._denied_ms_max = denied_ms_max
        self._compiled: BoundedCache[Hashable, Denials | Calls] = BoundedCache(
            entries_max=GOVERNED_RESOURCES_MAX,
            chars_max=GOVERNED_RESOURCES_CHARS_MAX,
            entry_chars_max=GOVERNED_RESOURCES_CHARS_MAX,
        )

    def deny(self, table: Table) -> bool:
        """Whether the policies of a replica deny replication now: that to it, and that from it."""
        stream = table.stream
        of_stream = None if stream is None else stream.policy
        members = members_of(table)
        if table.policy is None and of_stream is None and not members:
            return False
        tags = tuple(table.tags.items())
        key = (table.number, _revision(table.policy), _revision(of_stream), tags, members)
        denials = self._compiled.get(key)
        if denials is None:
            denials = _denials(table)
            chars = _chars(table.policy) + _chars(of_stream)
            self._compiled.keep(key, denials, _RESOURCE_CHARS + chars)
        return denials.hold(table.region, self._now_ms())

    def between(self, source: Table, target: Table) -> bool:
        """Whether one of two replicas of this server denies replication now."""
        return self.deny(source) or self.deny(target)

    async def note(self, table: Table) -> bool:
        """Note in the group whether a replica denies replication now; whether anything changed.

        A replica that has denied it for too long leaves the group: it is a table of one region.
        """
        replication, region = table.replication, table.region
        assert replication is not None, "a global table"
        now_ms, since_ms = self._now_ms(), replication.denied.get(region)
        denies = self.deny(table)
        if denies == (since_ms is not None):
            if since_ms is None or now_ms - since_ms <= self._denied_ms_max:
                return False
            group = f"{table.id}-{now_ms}"
            change = partial(detached, region=region, group=group)
        else:
            change = partial(with_denial, region=region, since_ms=now_ms if denies else None)
        names = names_of(self._catalog, table)
        with contextlib.suppress(DynamoError):  # it was dropped
            await change_group(self._catalog, names, change)
        await self._catalog.open(name_in(self._catalog, table, region))
        return True


def is_denied(table: Table, region: str) -> bool:
    """Whether a replica in a region, or the one that is asked, was seen to deny replication."""
    denied = {} if table.replication is None else table.replication.denied
    return table.region in denied or region in denied


def is_any_denied(table: Table) -> bool:
    """Whether any replica of the group was seen to deny replication."""
    return table.replication is not None and bool(table.replication.denied)


def denied_ms_of(table: Table) -> int:
    """Since when a replica itself was seen to deny replication; 0 if it does not."""
    return 0 if table.replication is None else table.replication.denied.get(table.region, 0)


def denies(table: Table, now_ms: int) -> bool:
    """Whether the policies of a table deny replication."""
    return _denials(table).hold(table.region, now_ms)


def with_denial(table: Table, region: str, since_ms: int | None) -> Table:
    """A replica when one in a region denies replication since a time, or does not if it is None."""
    replication = table.replication
    if replication is None or replication.denied.get(region) == since_ms:
        return table
    if not replication.replicas or (region != table.region and replica_in(table, region) is None):
        return table
    denied = {each: time_ms for each, time_ms in replication.denied.items() if each != region}
    if since_ms is not None:
        denied[region] = since_ms
    return _replace(table, replication=_replace(replication, denied=denied))


def detached(table: Table, region: str, group: str) -> Table:
    """A replica when the one in a region leaves the group for good.

    Args:
        table: the replica; that in the region has no other ones from then on.
        region: of the replica that leaves.
        group: of the replica that leaves: other servers find none of the group in its region.
    """
    replication = table.replication
    if replication is None:
        return table
    if table.region != region:
        return without_gone(table, region)
    last = {each.region: each.incarnation for each in replication.replicas}
    return _replace(
        table,
        replication=_replace(
            replication,
            replicas=(),
            gone={**replication.gone, **last},
            is_leaving=False,
            group=group,
            denied={},
            is_unprotected=False,
            disassociation_ms=0,
        ),
    )


def members_of(table: Table) -> "tuple[Member, ...]":
    """All replicas if they are of several accounts; none otherwise."""
    if not is_of_accounts(table):
        return ()
    from hashrange.access.policies.replication import Member  # noqa: PLC0415 - few tables need it

    places = [(account_in(table, each.region), each.region) for each in replicas_of(table)]
    places.append((table.account, table.region))
    return tuple(
        Member(account, table_arn(region=region, account=account, table=table.name))
        for account, region in places
    )


def governed(table: Table) -> "GovernedResource":
    """A table with its policy and tags."""
    from hashrange.access.policies.decisions import GovernedResource  # noqa: PLC0415 - as above
    from hashrange.access.policies.resources import tag_keys  # noqa: PLC0415

    return GovernedResource(table.arn, table.account, _document(table.policy), tag_keys(table.tags))


def refusal_of(table: Table, now_ms: int) -> str | None:
    """The denial of the policy of a replica of several accounts; None if it allows all."""
    from hashrange.access.policies.replication import Calls  # noqa: PLC0415 - as above

    return Calls(governed(table), members_of(table)).refusal(table.region, now_ms)


def _denials(table: Table) -> "Denials | Calls":
    """Of replicas of several accounts a policy allows, of others it may deny."""
    from hashrange.access.policies.decisions import GovernedResource  # noqa: PLC0415 - as above
    from hashrange.access.policies.replication import Calls, denials_of  # noqa: PLC0415

    resource, members = governed(table), members_of(table)
    if members:
        return Calls(resource, members)
    stream, streams = table.stream, []
    if stream is not None and stream.policy is not None:
        arn = stream_arn(table.arn, label_of(stream.created_ms))
        streams = [GovernedResource(arn, table.account, _document(stream.policy))]
    return denials_of(table.account, [resource], streams)


def _document(policy: ResourcePolicy | None) -> "Document | None":
    text = None if policy is None else policy.text
    if text is None:
        return None
    from hashrange.access.policies.checks import PolicyUse  # noqa: PLC0415 - as above
    from hashrange.access.policies.documents import parse  # noqa: PLC0415

    return parse(text, PolicyUse.RESOURCE)


def _revision(policy: ResourcePolicy | None) -> int | None:
    return None if policy is None else policy.revision_ms


def _chars(policy: ResourcePolicy | None) -> int:
    return 0 if policy is None or policy.text is None else len(policy.text)
