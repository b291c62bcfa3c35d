"""The resource policy of a table or a stream, as the catalog stores it."""

import msgspec


class ResourcePolicy(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A policy, or the trace of one that was deleted.

    Attributes:
        text: JSON in canonical form; None if the policy was deleted.
        revision_ms: when it was set or deleted; greater with each change of the resource's policy,
            so that a revision stands for one text.
        principal_ids: unique ids of the users and roles that the policy named by ARN when it was
            set.
    """

    text: str | None = None
    revision_ms: int
    principal_ids: dict[str, str] = {}
