"""The API of DAX clusters, AmazonDAXV3, on the port of the database.

Requests need to be allowed on the clusters that they name, and those that name none on `*`. Whoever
creates a cluster also needs `iam:PassRole` on its role, and clusters must be able to assume that.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from hashrange.access.policies.decisions import GovernedResource, Subject
from hashrange.access.policies.service_keys import tag_keys_of
from hashrange.api.aws_services.dax_clusters.context import DaxContext, cluster_name
from hashrange.api.aws_services.dax_clusters.service import DAX, DaxError, invalid
from hashrange.api.aws_services.dax_clusters.store import DaxRows
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Authorizer, Requirement, passing
from hashrange.messages import dax as messages
from hashrange.tables.writing.store import Store

_CACHE: Final = ":cache/"
_PORT: Final = re.compile(r":\d*\Z")
"""The port in a Host header."""


class DaxChoices(msgspec.Struct, frozen=True, kw_only=True):
    """The capabilities of a server for clusters.

    Attributes:
        separate: each account and region has clusters of its own.
        has_tls: it has a certificate.
        role: the subject of a role that clusters can assume, by ARN; None if they cannot.
        role_tags: the tags of a role by its ARN.
        can_run: it or another process runs clusters.
        changed: notifies the runner that rows have changed, if it is in this process.
        topics: the ARNs that have webhooks.
    """

    separate: bool
    has_tls: bool
    role: Callable[[str], Subject | None]
    role_tags: Callable[[str], Mapping[str, str]]
    can_run: bool
    changed: Callable[[], None]
    topics: Collection[str] = ()


class DaxClusters:
    """The backend of DAX clusters: see `service_api.Backend`.

    Args:
        store: its engine has the rows.
        choices: of this server.
        authorizer: decides whether roles may be passed.
    """

    def __init__(self, store: Store, choices: DaxChoices, authorizer: Authorizer) -> None:
        self._clock = store.clock
        self._authorizer = authorizer
        self._new_id = store.clock.new_uuid
        self._choices = choices
        self._rows = DaxRows(store.engine)

    def context(self, caller: Caller) -> DaxContext:
        """The clusters that a caller can see, and what this server can do about them."""
        choices = self._choices
        return DaxContext(
            rows=self._rows,
            scope=f"{caller.account}:{caller.region}" if choices.separate else "",
            account=caller.account,
            region=caller.region,
            host=_PORT.sub("", caller.host),
            now_ms=self._clock.now_ms(),
            can_run=choices.can_run,
            has_tls=choices.has_tls,
            check_role=partial(self._check_role, caller),
            changed=choices.changed,
            new_id=self._new_id,
            topics=choices.topics,
        )

    async def requirements(
        self, action: str, typed: Any, caller: Caller, context: DaxContext
    ) -> list[Requirement]:
        """The operation on each cluster, with the tags of the request.

        A cluster has the ARN that it was created with, whatever region a request is signed for.
        """
        tags = {
            each.key: each.value or "" for each in getattr(typed, "tags", None) or () if each.key
        }
        keys = tag_keys_of(tags, tuple(getattr(typed, "tag_keys", None) or ()))
        names = _names(typed)
        arns = [await _arn_of(name, caller, context) for name in names] if names else ["*"]
        return [Requirement(action, GovernedResource(arn, caller.account), keys) for arn in arns]

    def _check_role(self, caller: Caller, arn: str, cluster: str) -> None:
        if caller.subject is None:
            return
        tags = self._choices.role_tags(arn)
        passed = passing(arn, tags, caller, DAX.domain, associated=_arn(cluster, caller))
        text = self._authorizer.refusal(passed, caller)
        if text is not None:
            raise DAX.denied(text)
        if self._choices.role(arn) is None:
            raise invalid(messages.role_unusable(arn))


def _names(typed: Any) -> Sequence[str]:
    """The names of the clusters that a request names, also by an ARN, as far as they are such."""
    single = getattr(typed, "cluster_name", None) or getattr(typed, "resource_name", None)
    if single is not None:
        return [single.rpartition(_CACHE)[2]]
    return getattr(typed, "cluster_names", None) or ()


async def _arn_of(name: str, caller: Caller, context: DaxContext) -> str:
    """The ARN of a cluster; of one that is not there, what it would be."""
    try:
        found = await context.rows.clusters.get(context.scope, cluster_name(name))
    except DaxError:  # no name of a cluster: the operation reports it
        found = None
    return _arn(name, caller) if found is None else found.arn


def _arn(name: str, caller: Caller) -> str:
    """The ARN of a cluster of the caller; names are the same in any case."""
    return f"arn:aws:dax:{caller.region}:{caller.account}{_CACHE}{name.lower()}"
