"""`hashrange roles create|list|delete`: the roles of a server."""

import contextlib
from typing import TextIO

import click

from hashrange.cli.identity_target import IdentityTarget, policy_arn, with_target
from hashrange.cli.refusals import Refusal


@click.group()
def roles() -> None:
    """Create, list and delete roles, which users assume."""


@roles.command()
@click.argument("name")
@click.option(
    "--trust",
    required=True,
    metavar="FILE",
    type=click.File(encoding="utf-8"),
    help="The trust policy: who may assume the role; - is the standard input.",
)
@click.option("--policy", "policies", multiple=True, metavar="NAME|ARN", help="Attach a policy.")
@with_target
def create(target: IdentityTarget, name: str, trust: TextIO, policies: tuple[str, ...]) -> None:
    """Create a role, with policies."""
    text = trust.read()
    role = target.perform("CreateRole", RoleName=name, AssumeRolePolicyDocument=text)["Role"]
    try:
        for policy in policies:
            target.perform("AttachRolePolicy", RoleName=name, PolicyArn=policy_arn(policy))
    except (Refusal, KeyboardInterrupt):
        # As for users: the corrected command creates the role.
        with contextlib.suppress(Refusal):
            _delete(target, name)
        raise
    click.echo(role["Arn"])


@roles.command("list")
@with_target
def list_roles(target: IdentityTarget) -> None:
    """List all roles: ARN and date of creation."""
    for role in target.all("ListRoles", "Roles"):
        click.echo(f"{role['Arn']}  {role['CreateDate']}")


@roles.command()
@click.argument("name")
@with_target
def delete(target: IdentityTarget, name: str) -> None:
    """Delete a role with its inline policies; policies are detached. Its sessions end."""
    _delete(target, name)


def _delete(target: IdentityTarget, name: str) -> None:
    for policy in target.all("ListAttachedRolePolicies", "AttachedPolicies", RoleName=name):
        target.perform("DetachRolePolicy", RoleName=name, PolicyArn=policy["PolicyArn"])
    for inline in target.all("ListRolePolicies", "PolicyNames", RoleName=name):
        target.perform("DeleteRolePolicy", RoleName=name, PolicyName=inline)
    target.perform("DeleteRole", RoleName=name)
