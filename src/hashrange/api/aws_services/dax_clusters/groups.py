"""Common parts of parameter groups and subnet groups: names, a default, and quotas."""

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from hashrange.api.aws_services.dax_clusters.context import DaxContext, group_name, named
from hashrange.api.aws_services.dax_clusters.service import DaxError
from hashrange.api.aws_services.dax_clusters.store import (
    DaxRows,
    Named,
    StoredCluster,
    StoredParameters,
    StoredSubnets,
)
from hashrange.messages import dax as messages

G = TypeVar("G", StoredParameters, StoredSubnets)


class GroupKind(msgspec.Struct, Generic[G], frozen=True, kw_only=True):
    """The groups of one kind.

    Attributes:
        text: the kind, in messages.
        code: the kind, in codes of faults and in names of members.
        used_code: the code of the fault of a group that cannot be deleted.
        default: the group that exists without a row.
        most: the quota.
        rows_of: the rows of the others.
        used_by: the name of the group that a cluster uses.
    """

    text: str
    code: str
    used_code: str
    default: G
    most: int
    rows_of: Callable[[DaxRows], Named[G]]
    used_by: Callable[[StoredCluster], str]

    def name(self, sent: str | None) -> str:
        """The name that a request gives, in lower case. Raises DaxError."""
        return group_name(sent, f"{self.code}Name")

    def existing(self, group: G | None, name: str) -> G:
        """The group of a name. Raises the NotFoundFault of the kind."""
        if group is None:
            text = messages.group_missing(self.text, name)
            raise DaxError(f"{self.code}NotFoundFault", text)
        return group

    async def find(self, sent: str | None, context: DaxContext) -> G | None:
        """The group that a request names; None for the default. Raises DaxError."""
        if sent is None or sent.lower() == self.default.name:
            return None
        name = self.name(sent)
        rows = self.rows_of(context.rows)
        return self.existing(await rows.get(context.scope, name), name)

    async def create(self, made: G, context: DaxContext) -> None:
        """Store a new group. Raises DaxError: it exists, or there are too many."""
        rows, count, name = self.rows_of(context.rows), 1, made.name
        async for _ in rows.all(context.scope):
            count += 1

        def change(before: G | None) -> G:
            if before is not None or name == self.default.name:
                text = messages.group_exists(self.text, name)
                raise DaxError(f"{self.code}AlreadyExistsFault", text)
            if count >= self.most:
                text = messages.quota(f"{self.text.lower()}s", self.most)
                raise DaxError(f"{self.code}QuotaExceededFault", text)
            return made

        await rows.change(context.scope, name, change)

    async def delete(self, name: str, context: DaxContext) -> None:
        """Remove a group that no cluster uses. Raises DaxError."""
        async for cluster in context.rows.clusters.all(context.scope):
            if self.used_by(cluster) == name:
                text = messages.group_used(self.text, name, cluster.name)
                raise DaxError(self.used_code, text)

        def change(before: G | None) -> None:
            self.existing(before, name)

        await self.rows_of(context.rows).change(context.scope, name, change)

    async def listed(self, sent: list[str] | None, context: DaxContext) -> list[G]:
        """The groups that a request names, or all; the default is the first. Raises DaxError."""
        names = named(sent, f"{self.code}Names")
        if names:
            return [await self.find(name, context) or self.default for name in names]
        found = [self.default]
        found += [each async for each in self.rows_of(context.rows).all(context.scope)]
        return found
