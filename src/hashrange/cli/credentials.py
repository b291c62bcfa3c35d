"""Credentials for requests to an endpoint, from the variables that all SDKs read."""

import os
from collections.abc import Mapping
from configparser import ConfigParser
from configparser import Error as ParseError
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hashrange.access.signatures.signing import Credentials

_ANY: Final = "local"
"""Keys for servers that do not check signatures, if the variables are not set."""
_REGION: Final = "us-east-1"
_FILE: Final = "~/.aws/credentials"
_CONFIG: Final = "~/.aws/config"
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


class ProfileError(Exception):
    """A profile of the shared AWS files cannot be used. The text is one line."""


@dataclass(frozen=True, slots=True)
class ProfileKeys:
    """A profile of the shared AWS files."""

    access_key: str
    secret_key: str
    session_token: str | None
    region: str | None
    endpoint: str | None

    def signer(self, region: str) -> Credentials:
        """The keys, for requests in a region."""
        return Credentials(
            access_key=self.access_key,
            secret_key=self.secret_key,
            session_token=self.session_token,
            region=region,
        )


def profile_keys(profile: str, environment: Mapping[str, str]) -> ProfileKeys:
    """The keys of a profile. Raises ProfileError.

    A profile of single sign-on, or of a role to assume, has no keys in the files: the error names
    the command of the AWS CLI that obtains some.
    """
    keys_path = environment.get("AWS_SHARED_CREDENTIALS_FILE") or _FILE
    config_path = environment.get("AWS_CONFIG_FILE") or _CONFIG
    section = profile if profile == _PROFILE else f"profile {profile}"
    found = _section(config_path, section) | _section(keys_path, profile)
    if not found:
        raise ProfileError(f"{keys_path} and {config_path} have no profile {profile}")
    if not found.get("aws_access_key_id") or not found.get("aws_secret_access_key"):
        raise ProfileError(
            f"profile {profile} has no access key; this sets the variables of one: "
            f'eval "$(aws configure export-credentials --profile {profile} --format env)"'
        )
    return ProfileKeys(
        access_key=found["aws_access_key_id"],
        secret_key=found["aws_secret_access_key"],
        session_token=found.get("aws_session_token"),
        region=found.get("region"),
        endpoint=found.get("endpoint_url"),
    )


def _section(path: str, name: str) -> dict[str, str]:
    parser = ConfigParser(interpolation=None)
    try:
        parser.read(os.path.expanduser(path), encoding="utf-8")  # noqa: PTH111 - never raises
    except (ParseError, UnicodeDecodeError, OSError) as error:
        raise ProfileError(f"{path}: {str(error).splitlines()[0]}") from error
    return dict(parser[name]) if parser.has_section(name) else {}
