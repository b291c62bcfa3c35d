"""`hashrange users create|list|delete`: the users of a server."""

import contextlib

import click

from hashrange.cli.identity_target import IdentityTarget, policy_arn, show_key, with_target
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
@with_target
def create(target: IdentityTarget, name: str, policies: tuple[str, ...], *, key: bool) -> None:
    """Create a user, with policies and an access key.

    \b
    Example:
      hashrange users create app --policy AmazonDynamoDBFullAccess
    """  # noqa: D301 - click reads \b as an escape
    user = target.perform("CreateUser", UserName=name)["User"]
    try:
        for policy in policies:
            target.perform("AttachUserPolicy", UserName=name, PolicyArn=policy_arn(policy))
        made = target.perform("CreateAccessKey", UserName=name)["AccessKey"] if key else None
    except (Refusal, KeyboardInterrupt):
        # The command is then repeated with other policies, which a user of that name would stop.
        with contextlib.suppress(Refusal):
            _delete(target, name)
        raise
    click.echo(user["Arn"])
    if made is not None:
        show_key(made)


@users.command("list")
@with_target
def list_users(target: IdentityTarget) -> None:
    """List all users: ARN and date of creation."""
    for user in target.all("ListUsers", "Users"):
        click.echo(f"{user['Arn']}  {user['CreateDate']}")


@users.command()
@click.argument("name")
@with_target
def delete(target: IdentityTarget, name: str) -> None:
    """Delete a user with its keys and inline policies; policies are detached."""
    _delete(target, name)


def _delete(target: IdentityTarget, name: str) -> None:
    for key in target.all("ListAccessKeys", "AccessKeyMetadata", UserName=name):
        target.perform("DeleteAccessKey", UserName=name, AccessKeyId=key["AccessKeyId"])
    for policy in target.all("ListAttachedUserPolicies", "AttachedPolicies", UserName=name):
        target.perform("DetachUserPolicy", UserName=name, PolicyArn=policy["PolicyArn"])
    for inline in target.all("ListUserPolicies", "PolicyNames", UserName=name):
        target.perform("DeleteUserPolicy", UserName=name, PolicyName=inline)
    target.perform("DeleteUser", UserName=name)
