"""The identities of a server as the backend of IAM and STS."""

from collections.abc import Callable
from typing import Any

from hashrange.access.identities.opening import Identities
from hashrange.api.iam.operation import IdentityContext
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Authorizer


class IdentityBackend:
    """See `hashrange.api.service_api.Backend`.

    Args:
        identities: are read and changed.
        now_ms: the time.

    Attributes:
        authorizer: decides for callers, on the identities that an operation sees.
    """

    def __init__(self, identities: Identities, now_ms: Callable[[], int]) -> None:
        self.authorizer = Authorizer(now_ms)
        self._identities = identities
        self._now_ms = now_ms

    def context(self, caller: Caller) -> IdentityContext:
        """The context of a request; a caller without a subject may do everything."""
        return IdentityContext(
            roster=self._identities.store.roster,
            identities=self._identities,
            caller=caller,
            authorizer=self.authorizer,
            now_ms=self._now_ms(),
        )

    async def requirements(self, *_request: Any) -> tuple[()]:
        """None: what is allowed is decided on the identities that the operation sees."""
        return ()
