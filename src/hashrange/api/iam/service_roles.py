"""Roles that services of AWS assume: the role of a DAX cluster, with whose permissions it acts."""

from collections.abc import Iterable, Mapping
from typing import Final

from hashrange.access.identities.entities import Role
from hashrange.access.identities.opening import Identities
from hashrange.access.identities.roster import gone_since, holder_of, unique_ids
from hashrange.access.identities.subjects import Documents, of_role
from hashrange.access.policies.checks import PolicyUse
from hashrange.access.policies.decisions import Decisions, GovernedResource, Subject
from hashrange.access.policies.principals import Principal, with_ids
from hashrange.api.steps.operation import Principals

_ASSUME: Final = "sts:AssumeRole"


class ServiceRoles(Principals):
    """The roles that a service may assume, and the unique ids of all principals.

    A role has the same subject until a user, role or policy changes, since decisions on subjects
    are cached.

    Args:
        identities: have the roles.
        service: such as `dax.amazonaws.com`.
    """

    def __init__(self, identities: Identities, service: str) -> None:
        self._identities = identities
        self._service = Subject(Principal(type="Service", arn=service, account=""))
        self._documents = Documents()
        self._decisions = Decisions()
        self._epoch = -1
        self._subjects: dict[str, Subject] = {}

    def subject(self, arn: str) -> Subject | None:
        """The subject of a role by its ARN; None if there is none that trusts the service."""
        epoch = self._identities.credentials.epoch
        if epoch != self._epoch:
            self._subjects.clear()
            self._epoch = epoch
        found = self._subjects.get(arn) or self._found(arn)
        if found is not None:
            self._subjects[arn] = found
        return found

    def tags(self, arn: str) -> Mapping[str, str]:
        """The tags of a role by its ARN; none of a role that is not there."""
        found = holder_of(self._identities.store.roster, arn)
        return found.tags if isinstance(found, Role) else {}

    async def refresh(self) -> None:
        """See all changes that were durable before the call. Raises StorageError."""
        await self._identities.store.refresh()

    def unique_ids(self, arns: Iterable[str]) -> dict[str, str]:
        """The unique ids of users, roles and sessions by ARN, of those that are there."""
        return unique_ids(self._identities.store.roster, arns)

    def gone_since(self, ids: Mapping[str, str]) -> dict[str, str]:
        """Of unique ids by ARN those of principals that are gone, or are others now."""
        return gone_since(self._identities.store.roster, ids)

    def _found(self, arn: str) -> Subject | None:
        roster = self._identities.store.roster
        role = holder_of(roster, arn)
        if not isinstance(role, Role):
            return None
        trust = with_ids(self._documents.of(role.trust, PolicyUse.TRUST), role.trusted_ids)
        resource = GovernedResource(arn, role.account, trust)
        if not self._decisions.decide(self._service, _ASSUME, resource, {}).allowed:
            return None
        return of_role(roster, self._documents, role)
