"""Whom requests to an endpoint are signed as: the variables that all SDKs read."""

import os
from collections.abc import Mapping
from typing import Final

from hashrange.auth.signing import Credentials

_ANY: Final = "local"
"""What servers that do not look at signatures are sent, where nothing is set."""
_REGION: Final = "us-east-1"


def credentials(region: str | None, environment: Mapping[str, str] | None = None) -> Credentials:
    """Those that the environment holds.

    Args:
        region: that the endpoint's name tells; else the environment does.
        environment: the variables; those of the process if None.
    """
    if environment is None:
        environment = os.environ  # noqa: TID251 - not settings of ours: every SDK reads them here
    named = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    return Credentials(
        access_key=environment.get("AWS_ACCESS_KEY_ID") or _ANY,
        secret_key=environment.get("AWS_SECRET_ACCESS_KEY") or _ANY,
        session_token=environment.get("AWS_SESSION_TOKEN") or None,
        region=region or named or _REGION,
    )
