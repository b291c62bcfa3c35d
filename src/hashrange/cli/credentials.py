"""Credentials for requests to an endpoint, from the variables that all SDKs read."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hashrange.auth.signing import Credentials

_ANY: Final = "local"
"""Keys for servers that do not check signatures, if the variables are not set."""
_REGION: Final = "us-east-1"
_FILE: Final = "~/.aws/credentials"
_PROFILE: Final = "default"


def credentials(region: str | None, environment: Mapping[str, str] | None = None) -> Credentials:
    """The credentials of the environment.

    Args:
        region: the region in the endpoint's host name; if None, that of the environment.
        environment: the variables; those of the process if None.
    """
    if environment is None:
        environment = os.environ  # noqa: TID251 - not settings of the server, but of all SDKs
    configured = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    return Credentials(
        access_key=environment.get("AWS_ACCESS_KEY_ID") or _ANY,
        secret_key=environment.get("AWS_SECRET_ACCESS_KEY") or _ANY,
        session_token=environment.get("AWS_SESSION_TOKEN") or None,
        region=region or configured or _REGION,
    )


def shared_file(environment: Mapping[str, str]) -> tuple[Path, str] | None:
    """The shared credentials file and the profile in it, if the environment asks for them.

    None if it has keys of its own, which go before as for the SDKs, or names neither: without a
    name no keys of a person are used, since servers for tests take any.
    """
    if environment.get("AWS_ACCESS_KEY_ID") or environment.get("AWS_SECRET_ACCESS_KEY"):
        return None
    path, profile = environment.get("AWS_SHARED_CREDENTIALS_FILE"), environment.get("AWS_PROFILE")
    if not path and not profile:
        return None
    return Path(os.path.expanduser(path or _FILE)), profile or _PROFILE  # noqa: PTH111 - never raises
