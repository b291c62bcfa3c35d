"""Where commands find identities: at a running server, or in data that no server uses.

A running server is asked over IAM's API, as any client does, so it decides what the credentials of
the environment may do. Whoever can open the data may do everything: that is how an operator who
has lost all keys gets a new one.
"""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click

from hashrange.cli.refusals import Misuse, Refusal
from hashrange.cli.signed_posts import posted

_REGION: Final = "us-east-1"
"""IAM is signed for this region, whatever the environment says."""
_ACCOUNT: Final = "000000000000"
_FORM: Final = "application/x-www-form-urlencoded; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityTarget:
    """Performs operations of IAM.

    Attributes:
        endpoint: of a running server.
        data: a data directory, or the URL of a PostgreSQL; None to ask the server.
        account: of the identities in `data`.
        key_file: the file of the operator's key for `data`.
    """

    endpoint: str
    data: str | None
    account: str
    key_file: Path | None

    def perform(self, operation: str, **parameters: Any) -> dict[str, Any]:
        """The members of an answer. Raises Refusal, Misuse."""
        if self.data is None:
            return self._asked(operation, parameters)
        import asyncio

        return asyncio.run(self._decided(operation, parameters))

    def all(self, operation: str, member: str, **parameters: Any) -> list[Any]:
        """The elements of a list, from all of its pages."""
        found: list[Any] = []
        page: dict[str, Any] = {}
        while True:
            more = {"Marker": page["Marker"]} if page.get("Marker") else {}
            page = self.perform(operation, **parameters, **more)
            found += page.get(member) or []
            if not page.get("Marker"):
                return found

    def _asked(self, operation: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        from hashrange.api.iam.calls import AnswerError, form, result_of
        from hashrange.api.iam.registry import IAM
        from hashrange.cli.credentials import credentials

        body = form(IAM, operation, parameters)
        signer = replace(credentials(_REGION), service=IAM.name)
        try:
            status, answer = posted(self.endpoint, "/", (_FORM, body), signer)
            return result_of(operation, status, answer)
        except OSError as error:
            raise Refusal(f"{self.endpoint}: {error.strerror or error}") from error
        except AnswerError as error:
            raise Refusal(f"{self.endpoint}: {error}") from error

    async def _decided(self, operation: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        from hashrange.access.identities.opening import IdentityKeyError, open_identities
        from hashrange.api.iam.backend import IdentityBackend
        from hashrange.api.iam.calls import form
        from hashrange.api.iam.registry import IAM
        from hashrange.api.steps.operation import Caller
        from hashrange.assembly.engines.kinds import opened
        from hashrange.clock import SystemClock
        from hashrange.errors import ApiError
        from hashrange.optional_packages import MissingPackageError
        from hashrange.storage.engine import StorageError, StorageOpenError
        from hashrange.tables.catalog.secrets import stored_secret
        from hashrange.wire.exchange import Request

        assert self.data is not None, "asked otherwise"
        settings, clock = _settings(self.data), SystemClock()
        caller = Caller(self.account, _REGION, "")
        try:
            key = None if self.key_file is None else self.key_file.read_bytes()
            async with opened(settings, now_ms=clock.now_ms) as storage:
                draw = clock.random_bytes
                secret = await stored_secret(storage.engine, draw)
                identities = await open_identities(storage.engine, secret, key, draw)
                context = IdentityBackend(identities, clock.now_ms).context(caller)
                (protocol,) = IAM.protocols
                body = form(IAM, operation, parameters)
                _, tree = protocol.call(Request(b"POST", b"/", b"", {}, body))
                row = IAM.operations()[operation]
                request = protocol.read(operation, row, tree)
                answer: Any = await row.run(request, context)
                return dict(answer or {})
        except ApiError as error:
            raise Refusal(f"{error.name}: {error}") from error
        except IdentityKeyError as error:
            raise Refusal("the key of the identities is another: --identity-key-file") from error
        except (StorageOpenError, StorageError, MissingPackageError, OSError) as error:
            raise Refusal(str(error)) from error


def _settings(target: str) -> Any:
    from hashrange.assembly.engines.kinds import kind_of
    from hashrange.storage.sqlite.directory import holds_data

    try:
        kind = kind_of(target)
    except ValueError as error:
        raise Misuse(f"--directory: {error}") from error
    if not kind.is_shared and not holds_data(Path(target)):
        raise Misuse(f"{target} is no data directory")
    return kind.settings_of(target)


def with_target(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options of a target to a command, which gets an `IdentityTarget` first."""

    @click.option("--endpoint", metavar="URL", help="A running server; by default that of clients.")
    @click.option(
        "--directory",
        metavar="DIRECTORY|URL",
        help="A data directory or PostgreSQL that no server uses, to be changed without any key.",
    )
    @click.option(
        "--account",
        default=_ACCOUNT,
        metavar="ACCOUNT",
        help="With --directory: the account of the identities.",
    )
    @click.option(
        "--identity-key-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="With --directory: the file of the key that secret keys are stored with.",
    )
    @wraps(command)
    def run(
        endpoint: str | None,
        directory: str | None,
        account: str,
        identity_key_file: Path | None,
        **more: Any,
    ) -> None:
        from hashrange.settings.sources import client_endpoint

        if directory is not None and endpoint is not None:
            raise Misuse("--endpoint cannot be combined with --directory")
        target = IdentityTarget(
            endpoint=endpoint or client_endpoint(),
            data=directory,
            account=account,
            key_file=identity_key_file,
        )
        command(target, **more)

    return run


def show_key(key: Mapping[str, str]) -> None:
    """Print a new access key, as variables of a shell."""
    click.echo(f"The access key of {key['UserName']}; its secret is not shown again:")
    click.echo(f"  export AWS_ACCESS_KEY_ID={key['AccessKeyId']}")
    click.echo(f"  export AWS_SECRET_ACCESS_KEY={key['SecretAccessKey']}")


def policy_arn(name: str) -> str:
    """The ARN of a managed policy; a name alone is of a policy that is built in."""
    return name if name.startswith("arn:") else f"arn:aws:iam::aws:policy/{name}"
