"""The resources of requests with what governs them: resource policies and tags. Pure."""

from collections.abc import Hashable
from typing import Final

from hashrange.access.policies.checks import PolicyUse
from hashrange.access.policies.decisions import GovernedResource
from hashrange.access.policies.documents import parse
from hashrange.access.policies.principals import with_ids
from hashrange.access.policies.resources import tag_keys
from hashrange.api.steps.accesses import Access, Resource
from hashrange.api.steps.arns import (
    arn_of,
    known_arn,
    label_of,
    owner,
)
from hashrange.api.steps.operation import Caller
from hashrange.bounded_cache import BoundedCache
from hashrange.limits.access import GOVERNED_RESOURCES_CHARS_MAX, GOVERNED_RESOURCES_MAX
from hashrange.model.table import Table
from hashrange.model.table_features import ResourcePolicy
from hashrange.tables.streams.finding import stream_of

_RESOURCE_CHARS: Final = 200
"""The characters that a resource counts in the cache besides its policy."""


class GovernedResources:
    """Makes governed resources, one for each state of a resource.

    Args:
        separate: each account and region has tables of its own; else all are the caller's.
    """

    def __init__(self, *, separate: bool) -> None:
        self._separate = separate
        self._found = BoundedCache[Hashable, GovernedResource](
            entries_max=GOVERNED_RESOURCES_MAX,
            chars_max=GOVERNED_RESOURCES_CHARS_MAX,
            entry_chars_max=GOVERNED_RESOURCES_CHARS_MAX,
        )

    def of(self, access: Access, caller: Caller, table: Table | None) -> GovernedResource:
        """The resource of an access; what does not exist has neither policy nor tags."""
        resource = access.resource
        if table is None:
            return self._unknown(access, caller)
        account = table.account if self._separate else caller.account
        policy = _policy_of(resource, table)
        revision = None if policy is None else policy.revision_ms
        label, tags = label_of(resource), tuple(table.tags.items())
        key = (account, table.number, resource.index, label, revision, tags)
        found = self._found.get(key)
        if found is None:
            found = governed(resource, table, policy, account)
            self._found.keep(key, found, _RESOURCE_CHARS + policy_chars(policy))
        return found

    def _unknown(self, access: Access, caller: Caller) -> GovernedResource:
        arn = arn_of(access, caller, separate=self._separate)
        account, _ = owner(access.resource, caller, separate=self._separate)
        key = (account, arn)
        found = self._found.get(key)
        if found is None:
            found = GovernedResource(arn, account)
            self._found.keep(key, found, _RESOURCE_CHARS + len(arn))
        return found


def policy_chars(policy: ResourcePolicy | None) -> int:
    """The characters of its text."""
    return 0 if policy is None or policy.text is None else len(policy.text)


def _policy_of(resource: Resource, table: Table) -> ResourcePolicy | None:
    if resource.kind != "stream":
        return table.policy
    stream = stream_of(table, label_of(resource))
    return None if stream is None else stream.policy


def governed(
    resource: Resource, table: Table, policy: ResourcePolicy | None, account: str
) -> GovernedResource:
    """A resource of a table that exists, with a policy that it has or might have."""
    document = None
    if policy is not None and policy.text is not None:
        document = with_ids(parse(policy.text, PolicyUse.RESOURCE), policy.principal_ids)
    # Streams have tags of their own on AWS, and none here.
    keys = tag_keys({} if resource.kind == "stream" else table.tags)
    return GovernedResource(known_arn(resource, table), account, document, keys)
