"""`hashrange roles create|list|delete`: the roles of a server."""

import contextlib
from typing import TextIO

import click

from hashrange.cli.identity_place import IdentityPlace, placed, policy_arn
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
@placed
def create(place: IdentityPlace, name: str, trust: TextIO, policies: tuple[str, ...]) -> None:
    """Create a role, with policies."""
    text = trust.read()
    role = place.perform("CreateRole", RoleName=name, AssumeRolePolicyDocument=text)["Role"]
    try:
        for policy in policies:
            place.perform("AttachRolePolicy", RoleName=name, PolicyArn=policy_arn(policy))
    except (Refusal, KeyboardInterrupt):
        # As for users: the corrected command creates the role.
        with contextlib.suppress(Refusal):
            _delete(place, name)
        raise
    click.echo(role["Arn"])


@roles.command("list")
@placed
def list_roles(place: IdentityPlace) -> None:
    """List all roles: ARN and date of creation."""
    for role in place.all("ListRoles", "Roles"):
        click.echo(f"{role['Arn']}  {role['CreateDate']}")


@roles.command()
@click.argument("name")
@placed
def delete(place: IdentityPlace, name: str) -> None:
    """Delete a role with its inline policies; policies are detached. Its sessions end."""
    _delete(place, name)


def _delete(place: IdentityPlace, name: str) -> None:
    for policy in place.all("ListAttachedRolePolicies", "AttachedPolicies", RoleName=name):
        place.perform("DetachRolePolicy", RoleName=name, PolicyArn=policy["PolicyArn"])
    for inline in place.all("ListRolePolicies", "PolicyNames", RoleName=name):
        place.perform("DeleteRolePolicy", RoleName=name, PolicyName=inline)
    place.perform("DeleteRole", RoleName=name)
