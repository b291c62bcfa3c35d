"""Access of callers in one process: their credentials, watched, and the APIs IAM and STS."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from hashrange.api.apis import Api, LateApi
from hashrange.api.steps.operation import NO_PRINCIPALS, Principals
from hashrange.assembly.parts import Parts
from hashrange.clock import Clock
from hashrange.optional_packages import MissingPackageError
from hashrange.settings.kinds import Auth
from hashrange.storage.engine import StorageError, StorageOpenError

if TYPE_CHECKING:
    from hashrange.access.identities.opening import Identities
    from hashrange.access.identities.roster import Roster
    from hashrange.access.identities.stored_credentials import Credentials
    from hashrange.access.policies.decisions import Subject
    from hashrange.api.iam.backend import IdentityBackend

_SERVICES: Final = ("iam", "sts")
_DAX: Final = "dax.amazonaws.com"
_FIRST_USER: Final = """\
The first user of this server is {name}, who may do everything. Its secret key is not shown again:
  export AWS_ACCESS_KEY_ID={access_key}
  export AWS_SECRET_ACCESS_KEY={secret_key}
"""


class Access(msgspec.Struct, frozen=True):
    """The identities and authorizer of a process.

    Attributes:
        credentials: of the callers; None with `--auth off`.
        apis: IAM and STS, by the services of signatures.
        dax_role: the subject of a role that clusters of DAX can assume, by ARN; None if they
            cannot.
        role_tags: the tags of a role by its ARN; none of a role that is not there.
        principals: that policies of tables name.
        roster: all identities; None if they are not in the engine.
    """

    credentials: "Credentials | None"
    apis: Mapping[str, Api]
    dax_role: "Callable[[str], Subject | None]" = lambda _: None
    role_tags: Callable[[str], Mapping[str, str]] = lambda _: {}
    principals: Principals = NO_PRINCIPALS
    roster: Callable[[], "Roster"] | None = None


async def ensure_users(parts: Parts, show: Callable[[str], object]) -> None:
    """Check that the users can be read; make an administrator if there is no user yet.

    Args:
        parts: of the process that writes.
        show: called with the keys of the administrator, which are nowhere else.

    Raises:
        StorageOpenError: they cannot be read.
    """
    settings = parts.settings
    if settings.auth is Auth.OFF:
        return
    from hashrange.access.identities.opening import (  # noqa: PLC0415 - few starts need it
        ADMINISTRATOR_NAME,
        ensure_administrator,
    )

    identities = await _opened(parts)
    try:
        now_ms = parts.store.clock.now_ms()
        made = await ensure_administrator(identities, settings.account, now_ms)
    except StorageError as error:
        raise StorageOpenError(f"the first user cannot be made: {error}") from error
    if made is not None:
        access_key, secret_key = made
        show(
            _FIRST_USER.format(
                name=ADMINISTRATOR_NAME, access_key=access_key, secret_key=secret_key
            )
        )


@contextlib.asynccontextmanager
async def access_of(parts: Parts, given: "Credentials | None" = None) -> AsyncIterator[Access]:
    """Access within the context, in which changes by other processes are noticed.

    Args:
        parts: those of this process.
        given: credentials that are not in the engine; None for those in the engine.

    Raises:
        StorageOpenError: the users cannot be read.
    """
    clock = parts.store.clock
    if parts.settings.auth is Auth.OFF:
        yield Access(None, _apis(None, clock))
        return
    if given is not None:
        yield Access(given, {})
        return
    from hashrange.access.identities.opening import watch  # noqa: PLC0415
    from hashrange.api.iam.backend import IdentityBackend  # noqa: PLC0415 - few starts need it
    from hashrange.api.iam.service_roles import ServiceRoles  # noqa: PLC0415

    identities = await _opened(parts)
    watching = asyncio.get_running_loop().create_task(watch(identities.store))
    backend = IdentityBackend(identities, clock.now_ms)
    try:
        roles = ServiceRoles(identities, _DAX)
        yield Access(
            identities.credentials,
            _apis(backend, clock),
            roles.subject,
            roles.tags,
            roles,
            lambda: identities.store.roster,
        )
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching


def _apis(backend: "IdentityBackend | None", clock: Clock) -> dict[str, Api]:
    return {name: LateApi(name, partial(_api, name, backend, clock)) for name in _SERVICES}


def _api(name: str, backend: "IdentityBackend | None", clock: Clock) -> Api:
    """The API of a service; `backend` is None if signatures are not verified."""
    from hashrange.api.iam.registry import (  # noqa: PLC0415 - few starts need it
        IAM,
        STS,
        NoIdentities,
        without_identities,
    )
    from hashrange.api.service_api import ServiceApi  # noqa: PLC0415
    from hashrange.api.steps.service_authorization import Authorizer  # noqa: PLC0415

    service = {each.name: each for each in (IAM, STS)}[name]
    authorizer = Authorizer(clock.now_ms)
    if backend is None:
        without = without_identities(service)
        return ServiceApi(without, NoIdentities(), authorizer, clock.new_uuid)
    return ServiceApi(service, backend, authorizer, clock.new_uuid)


async def _opened(parts: Parts) -> "Identities":
    from hashrange.access.identities.opening import (  # noqa: PLC0415 - few starts need it
        IdentityKeyError,
        open_identities,
    )

    store, path = parts.store, parts.settings.identity_key_file
    assert store.secret, "loaded when the engine was opened"
    try:
        key = None if path is None else path.read_bytes()
        return await open_identities(store.engine, store.secret, key, store.clock.random_bytes)
    except OSError as error:
        raise StorageOpenError(f"--identity-key-file {path}: {error.strerror}") from error
    except IdentityKeyError as error:
        text = "the users are sealed with another key than that of --identity-key-file"
        raise StorageOpenError(text) from error
    except (MissingPackageError, StorageError) as error:
        raise StorageOpenError(f"the users cannot be read: {error}") from error
