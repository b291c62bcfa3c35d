"""`hashrange verify`: checks stored data for inconsistencies."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.encryption_keys import key_of, key_options
from hashrange.cli.endpoints import Address, address_of, endpoint_option
from hashrange.cli.refusals import REFUSED, Misuse
from hashrange.cli.signed_posts import posted

if TYPE_CHECKING:
    from hashrange.tables.verifying.requests import VerifyAnswer

_ASK_AGAIN_SECONDS: Final = 1.0


@click.command()
@click.argument("place", metavar="[DIRECTORY|URL]", required=False)
@endpoint_option
@click.option("--profile", metavar="NAME", help="Profile of the shared AWS files, for a server.")
@click.option("--region", metavar="NAME", help="Region of the requests to a server.")
@key_options
@click.pass_context
def verify(
    context: click.Context,
    /,
    place: str | None,
    *,
    endpoint: str | None,
    profile: str | None,
    region: str | None,
    **options: Any,
) -> None:
    """Check the data in DIRECTORY, at URL, or of a server.

    URL is that of a PostgreSQL. Prints a line for each inconsistency, and repairs nothing. A server
    may use DIRECTORY and go on: it is asked, by a file in DIRECTORY, and verifies the data itself,
    while requests come first. Without a server DIRECTORY is opened read-only. No server may use a
    database meanwhile. The exit code is 0 for sound data, 1 for inconsistencies, 2 if the data
    could not be verified.

    With neither DIRECTORY nor URL the server at --endpoint verifies its data directory. With
    --auth required the access keys need a policy that allows hashrange:VerifyData.

    \b
    Examples:
      hashrange verify hashrange-data
      hashrange verify --endpoint http://127.0.0.1:8000
      hashrange verify postgresql://app@db.example/app
    """  # noqa: D301 - click reads \b as an escape
    if place is None:
        address = address_of(endpoint, profile, region)
        findings, shown = _found_by(address), address.url
    elif endpoint is None:
        findings, shown = _found_in(place, options)
    else:
        raise Misuse("--endpoint cannot be combined with a directory or a database")
    for finding in findings:
        click.echo(finding)
    if findings:
        context.exit(REFUSED)
    click.echo(f"{shown}: sound")


def _found_in(place: str, options: dict[str, Any]) -> tuple[list[str], str]:
    """The findings in a directory or a database, and its name. Raises Misuse."""
    from hashrange.assembly import verifying
    from hashrange.assembly.engines.kinds import kind_of
    from hashrange.server.loop import run
    from hashrange.storage.engine import StorageError, StorageOpenError

    try:
        kind = kind_of(place)
    except ValueError as error:
        raise Misuse(f"{error}; to check the data of a server: --endpoint URL") from error
    try:
        if verifying.is_served(place):
            findings = run(verifying.verified_by_server(Path(place)))
        else:
            findings = verifying.verify(place, key_of(options))
    except (StorageOpenError, StorageError, OSError) as error:
        raise Misuse(str(error)) from error
    return findings, kind.shown(place)


def _found_by(address: Address) -> list[str]:
    """The findings of a server, which is asked until it has them. Raises Misuse."""
    found = _asked(address, b"{}")
    while not found.has_ended:  # bound: until the server has read all
        time.sleep(_ASK_AGAIN_SECONDS)
        found = _asked(address, b'{"id":"%s"}' % found.id.encode())
    if found.failure is not None:
        raise Misuse(f"{address.url}: {found.failure}")
    return found.findings


def _asked(address: Address, body: bytes) -> "VerifyAnswer":
    import msgspec

    from hashrange.server.routes import VERIFY_PATH
    from hashrange.tables.verifying.requests import VerifyAnswer

    try:
        status, answer = posted(
            address.url, VERIFY_PATH, ("application/json", body), address.credentials
        )
        if status == 200:  # noqa: PLR2004 - of HTTP
            return msgspec.json.decode(answer, type=VerifyAnswer)
        members: dict[str, Any] = msgspec.json.decode(answer, type=dict[str, Any])
    except OSError as error:
        raise Misuse(f"{address.url}: {error.strerror or error}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Misuse(
            f"{address.url} does not verify its data: is it of another version?"
        ) from error
    text = members.get("message") or members.get("Message") or f"it answers {status}"
    raise Misuse(f"{address.url}: {text}")
