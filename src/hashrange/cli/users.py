"""`hashrange users create|list|delete`: the users of a server."""

import contextlib

import click

from hashrange.cli.identity_place import IdentityPlace, placed, policy_arn, show_key
from hashrange.cli.refusals import Refusal


@click.group()
def users() -> None:
    """Create, list and delete users, and their first keys.

    A running server is asked with the credentials of the environment, as the AWS CLI does. With
    --directory the data are changed without any key, while no server uses them.
    """


@users.command()
@click.argument("name")
@click.option("--policy", "policies", multiple=True, metavar="NAME|ARN", help="Attach a policy.")
@click.option("--key/--no-key", default=True, help="Make an access key, too. Default: yes.")
@placed
def create(place: IdentityPlace, name: str, policies: tuple[str, ...], *, key: bool) -> None:
    """Create a user, with policies and an access key.

    \b
    Example:
      hashrange users create app --policy AmazonDynamoDBFullAccess
    """  # noqa: D301 - click reads \b as an escape
    user = place.perform("CreateUser", UserName=name)["User"]
    try:
        for policy in policies:
            place.perform("AttachUserPolicy", UserName=name, PolicyArn=policy_arn(policy))
        made = place.perform("CreateAccessKey", UserName=name)["AccessKey"] if key else None
    except (Refusal, KeyboardInterrupt):
        # The command is then repeated with other policies, which a user of that name would stop.
        with contextlib.suppress(Refusal):
            _delete(place, name)
        raise
    click.echo(user["Arn"])
    if made is not None:
        show_key(made)


@users.command("list")
@placed
def list_users(place: IdentityPlace) -> None:
    """List all users: ARN and date of creation."""
    for user in place.all("ListUsers", "Users"):
        click.echo(f"{user['Arn']}  {user['CreateDate']}")


@users.command()
@click.argument("name")
@placed
def delete(place: IdentityPlace, name: str) -> None:
    """Delete a user with its keys and inline policies; policies are detached."""
    _delete(place, name)


def _delete(place: IdentityPlace, name: str) -> None:
    for key in place.all("ListAccessKeys", "AccessKeyMetadata", UserName=name):
        place.perform("DeleteAccessKey", UserName=name, AccessKeyId=key["AccessKeyId"])
    for policy in place.all("ListAttachedUserPolicies", "AttachedPolicies", UserName=name):
        place.perform("DetachUserPolicy", UserName=name, PolicyArn=policy["PolicyArn"])
    for inline in place.all("ListUserPolicies", "PolicyNames", UserName=name):
        place.perform("DeleteUserPolicy", UserName=name, PolicyName=inline)
    place.perform("DeleteUser", UserName=name)
