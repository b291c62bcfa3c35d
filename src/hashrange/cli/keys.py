"""`hashrange keys create|list|rotate|revoke`: the access keys of users."""

import click

from hashrange.cli.identity_target import IdentityTarget, show_key, with_target


@click.group()
def keys() -> None:
    """Create, list, rotate and revoke access keys.

    A user may have two. With --directory the data are changed without any key, while no server uses
    them: so an operator who has lost all keys gets a new one.
    """


@keys.command()
@click.argument("user")
@with_target
def create(target: IdentityTarget, user: str) -> None:
    """Make an access key, and print it with its secret.

    \b
    Example:
      hashrange keys create administrator --directory hashrange-data
    """  # noqa: D301 - click reads \b as an escape
    show_key(target.perform("CreateAccessKey", UserName=user)["AccessKey"])


@keys.command("list")
@click.argument("user")
@with_target
def list_keys(target: IdentityTarget, user: str) -> None:
    """List the access keys of a user: id, status and date of creation."""
    for key in target.all("ListAccessKeys", "AccessKeyMetadata", UserName=user):
        click.echo(f"{key['AccessKeyId']}  {key['Status']}  {key['CreateDate']}")


@keys.command()
@click.argument("user")
@with_target
def rotate(target: IdentityTarget, user: str) -> None:
    """Make a new access key beside the one that is in use.

    A key that is inactive is deleted first, to make room. Once the new key is in use everywhere,
    revoke the old one.
    """
    for key in target.all("ListAccessKeys", "AccessKeyMetadata", UserName=user):
        if key["Status"] == "Inactive":
            target.perform("DeleteAccessKey", UserName=user, AccessKeyId=key["AccessKeyId"])
    show_key(target.perform("CreateAccessKey", UserName=user)["AccessKey"])


@keys.command()
@click.argument("user")
@click.argument("access_key")
@click.option("--keep", is_flag=True, help="Only make it inactive, so that it can be used again.")
@with_target
def revoke(target: IdentityTarget, user: str, access_key: str, *, keep: bool) -> None:
    """Delete an access key: it is refused everywhere within two seconds.

    Sessions that were begun with it go on until they expire; to end them, delete the user or deny
    by a policy what was issued before a time (aws:TokenIssueTime).
    """
    if keep:
        target.perform("UpdateAccessKey", UserName=user, AccessKeyId=access_key, Status="Inactive")
    else:
        target.perform("DeleteAccessKey", UserName=user, AccessKeyId=access_key)
