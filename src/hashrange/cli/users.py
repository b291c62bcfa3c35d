"""`hashrange users create|list|delete`: the users of a server."""

import contextlib
import json
from typing import Final

import click

from hashrange.cli.identity_target import IdentityTarget, policy_arn, show_key, with_target
from hashrange.cli.refusals import Misuse, Refusal
from hashrange.settings.rules import is_table

_TABLES_POLICY: Final = "tables"


@click.group()
def users() -> None:
    """Create, list and delete users, and their first keys.

    A running server is asked with the credentials of the environment, as the AWS CLI does. With
    --directory the data are changed without any key, while no server uses them.
    """


@users.command()
@click.argument("name")
@click.option("--policy", "policies", multiple=True, metavar="NAME|ARN", help="Attach a policy.")
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="TABLE",
    help="Allow reads and writes of the items of this table and its indexes. May be repeated.",
)
@click.option("--read-only", is_flag=True, help="With --table: allow reads alone.")
@click.option("--key/--no-key", default=True, help="Make an access key, too. Default: yes.")
@with_target
def create(
    target: IdentityTarget,
    name: str,
    policies: tuple[str, ...],
    tables: tuple[str, ...],
    *,
    read_only: bool,
    key: bool,
) -> None:
    """Create a user, with policies and an access key.

    \b
    Examples:
      hashrange users create app --policy AmazonDynamoDBFullAccess
      hashrange users create reports --table orders --read-only
    """  # noqa: D301 - click reads \b as an escape
    if read_only and not tables:
        raise Misuse("--read-only needs --table; --policy AmazonDynamoDBReadOnlyAccess reads all")
    for table in tables:
        if not is_table(table):
            raise Misuse(f"--table {table!r} is no name of a table")
    user = target.perform("CreateUser", UserName=name)["User"]
    try:
        for policy in policies:
            target.perform("AttachUserPolicy", UserName=name, PolicyArn=policy_arn(policy))
        if tables:
            account = user["Arn"].split(":")[4]
            policy = _policy_of(tables, account, read_only=read_only)
            target.perform(
                "PutUserPolicy", UserName=name, PolicyName=_TABLES_POLICY, PolicyDocument=policy
            )
        made = target.perform("CreateAccessKey", UserName=name)["AccessKey"] if key else None
    except (Refusal, KeyboardInterrupt):
        # The command is then repeated with other policies, which a user of that name would stop.
        with contextlib.suppress(Refusal):
            _delete(target, name)
        raise
    click.echo(user["Arn"])
    if made is not None:
        show_key(made)


def _policy_of(tables: tuple[str, ...], account: str, *, read_only: bool) -> str:
    """The document of a policy that allows actions on the items of tables, in all regions."""
    from hashrange.access.policies.actions import ACTIONS  # noqa: PLC0415 - few commands need it
    from hashrange.model.iam_actions import ATTRIBUTES  # noqa: PLC0415

    on_items = {name: row for name, row in ACTIONS.items() if row.keys & ATTRIBUTES}
    allowed = [name for name, row in on_items.items() if not (read_only and row.writes_items)]
    arns = [f"arn:aws:dynamodb:*:{account}:table/{table}" for table in tables]
    statement = {
        "Effect": "Allow",
        "Action": [*allowed, "dynamodb:DescribeTable"],
        "Resource": [arn + rest for arn in arns for rest in ("", "/index/*")],
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


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
